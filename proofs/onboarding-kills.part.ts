// A migration and a rollback killed at every point that they pass.

import { readdir } from 'node:fs/promises'
import { type Fixture, place, treeDigest } from '../packages/tools/src/onboarding/fixtures/fixture.suite.ts'
import {
  conflicting,
  monorepo,
  nested,
  odd,
  onlyCursor,
  windows,
} from '../packages/tools/src/onboarding/fixtures/repositories.corpus.ts'
import { runApart } from '../packages/tools/src/onboarding/killed.suite.ts'
import { rehearse } from '../packages/tools/src/onboarding/rehearsal.suite.ts'

interface Kills {
  tried: number
  points: number
  old: number
  new: number
  mended: number
  readonly wrong: string[]
}

type Action = 'migrate' | 'rollback'

/** How many processes are started at once. */
const abreast = 2

export async function killEverywhere(quick: boolean): Promise<Kills> {
  const kills: Kills = { tried: 0, points: 0, old: 0, new: 0, mended: 0, wrong: [] }
  const fixtures = quick ? [onlyCursor] : [onlyCursor, monorepo, nested, conflicting, windows, odd]
  const names = new Set<string>()
  const waiting: (() => Promise<void>)[] = []
  for (const fixture of fixtures) {
    for (const action of ['migrate', 'rollback'] as const) {
      const points = await pointsOf(fixture, action)
      for (const point of points) {
        names.add(`${action}: ${point}`)
        waiting.push(() => killAt(fixture, action, point, kills))
      }
    }
  }
  kills.points = names.size
  await Promise.all(
    Array.from({ length: abreast }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next()
    }),
  )
  return kills
}

async function prepared(root: string, action: Action): Promise<void> {
  for (const each of ['propose', 'approve', ...(action === 'rollback' ? (['migrate'] as const) : [])] as const) {
    const { status, message } = await rehearse({ root, action: each })
    if (status === 'error') throw new Error(message)
  }
}

/** Every point that is passed, in the order in which it is. */
async function pointsOf(fixture: Fixture, action: Action): Promise<string[]> {
  const placed = await place(fixture)
  await prepared(placed.root, action)
  const points = new Set<string>()
  await rehearse({ root: placed.root, action, reached: (point) => points.add(point) })
  await placed.remove()
  return [...points]
}

async function killAt(fixture: Fixture, action: Action, point: string, kills: Kills): Promise<void> {
  const placed = await place(fixture)
  const { root } = placed
  const where = `${fixture.name}, ${action} killed at “${point}”`
  try {
    const old = await treeDigest(root)
    await prepared(root, action)
    const changed = action === 'rollback' ? await treeDigest(root) : await migratedDigest(fixture)
    kills.tried += 1
    const { signal } = await runApart({ root, action, killAt: point })
    if (signal !== 'SIGKILL') kills.wrong.push(`${where}: it was not killed`)

    const after = await treeDigest(root)
    const status = await rehearse({ root, action: 'status' })
    if (status.data.interrupted === true) {
      if (!/was interrupted\. (No file|All files|The files)/.test(status.message))
        kills.wrong.push(`${where}: not explained`)
      kills.mended += 1
    } else if (after === old) kills.old += 1
    else if (after === changed) kills.new += 1
    else kills.wrong.push(`${where}: neither old nor new, and status says nothing`)

    await mended(root, old, where, kills)
  } finally {
    await placed.remove()
  }
}

/** Whatever the kill left: the old tree comes back, nothing lies about, and everything can be done again. */
async function mended(root: string, old: string, where: string, kills: Kills): Promise<void> {
  if ((await treeDigest(root)) !== old) {
    const { status, message } = await rehearse({ root, action: 'rollback' })
    if (status !== 'rolled_back') kills.wrong.push(`${where}: rollback says ${message}`)
  } else if ((await rehearse({ root, action: 'status' })).data.interrupted === true) {
    await rehearse({ root, action: 'rollback' })
  }
  if ((await treeDigest(root)) !== old) kills.wrong.push(`${where}: the old tree did not come back`)
  const litter = (await readdir(root, { recursive: true })).filter(
    (name) => name.endsWith('.tmp') && !name.startsWith('.copilot-state'),
  )
  if (litter.length > 0) kills.wrong.push(`${where}: left ${litter.join(', ')}`)
  for (const action of ['propose', 'approve', 'migrate', 'rollback'] as const) {
    const { status, message } = await rehearse({ root, action })
    if (status === 'error') kills.wrong.push(`${where}: afterwards ${action} says ${message}`)
  }
  if ((await treeDigest(root)) !== old) kills.wrong.push(`${where}: a second round did not bring the old tree back`)
}

const digests = new Map<string, Promise<string>>()

/** The new tree, made once for each repository. */
function migratedDigest(fixture: Fixture): Promise<string> {
  const known = digests.get(fixture.name)
  if (known !== undefined) return known
  const made = (async () => {
    const placed = await place(fixture)
    await prepared(placed.root, 'rollback')
    const digest = await treeDigest(placed.root)
    await placed.remove()
    return digest
  })()
  digests.set(fixture.name, made)
  return made
}
