// A migration and a rollback, killed at every named point.

import { readdir } from 'node:fs/promises'
import { createRepository, type Fixture, treeDigest } from '../../packages/onboarding/src/fixtures/fixture.suite.ts'
import {
  conflicting,
  monorepo,
  nested,
  odd,
  onlyCursor,
  windows,
} from '../../packages/onboarding/src/fixtures/repositories.corpus.ts'
import { runAction } from '../../packages/onboarding/src/run-action.suite.ts'
import { runInProcess } from '../../packages/onboarding/src/run-in-process.suite.ts'

interface Kills {
  tried: number
  points: number
  old: number
  new: number
  repaired: number
  readonly wrong: string[]
}

type Action = 'migrate' | 'rollback'

/** The number of parallel processes. */
const abreast = 2

export async function killEverywhere(quick: boolean): Promise<Kills> {
  const kills: Kills = { tried: 0, points: 0, old: 0, new: 0, repaired: 0, wrong: [] }
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
    const { status, message } = await runAction({ root, action: each })
    if (status === 'error') throw new Error(message)
  }
}

/** Every named point, in order. */
async function pointsOf(fixture: Fixture, action: Action): Promise<string[]> {
  const placed = await createRepository(fixture)
  await prepared(placed.root, action)
  const points = new Set<string>()
  await runAction({ root: placed.root, action, reached: (point) => points.add(point) })
  await placed.remove()
  return [...points]
}

async function killAt(fixture: Fixture, action: Action, point: string, kills: Kills): Promise<void> {
  const placed = await createRepository(fixture)
  const { root } = placed
  const where = `${fixture.name}, ${action} killed at “${point}”`
  try {
    const old = await treeDigest(root)
    await prepared(root, action)
    const changed = action === 'rollback' ? await treeDigest(root) : await migratedDigest(fixture)
    kills.tried += 1
    const { signal } = await runInProcess({ root, action, killAt: point })
    if (signal !== 'SIGKILL') kills.wrong.push(`${where}: it was not killed`)

    const after = await treeDigest(root)
    const status = await runAction({ root, action: 'status' })
    if (status.data.interrupted === true) {
      if (!/was interrupted\. (No file|All files|The files)/.test(status.message))
        kills.wrong.push(`${where}: not explained`)
      kills.repaired += 1
    } else if (after === old) kills.old += 1
    else if (after === changed) kills.new += 1
    else kills.wrong.push(`${where}: neither old nor new, and status does not explain it`)

    await repaired(root, old, where, kills)
  } finally {
    await placed.remove()
  }
}

/** Checks that a rollback restores the old tree and leaves no files behind, and that the action can then be repeated. */
async function repaired(root: string, old: string, where: string, kills: Kills): Promise<void> {
  if ((await treeDigest(root)) !== old) {
    const { status, message } = await runAction({ root, action: 'rollback' })
    if (status !== 'rolled_back') kills.wrong.push(`${where}: rollback returned ${message}`)
  } else if ((await runAction({ root, action: 'status' })).data.interrupted === true) {
    await runAction({ root, action: 'rollback' })
  }
  if ((await treeDigest(root)) !== old) kills.wrong.push(`${where}: the old tree was not restored`)
  const litter = (await readdir(root, { recursive: true })).filter(
    (name) => name.endsWith('.tmp') && !name.startsWith('.copilot-state'),
  )
  if (litter.length > 0) kills.wrong.push(`${where}: left ${litter.join(', ')}`)
  for (const action of ['propose', 'approve', 'migrate', 'rollback'] as const) {
    const { status, message } = await runAction({ root, action })
    if (status === 'error') kills.wrong.push(`${where}: afterwards ${action} returned ${message}`)
  }
  if ((await treeDigest(root)) !== old) kills.wrong.push(`${where}: a second round did not bring the old tree back`)
}

const digests = new Map<string, Promise<string>>()

/** The new tree, created once per repository. */
function migratedDigest(fixture: Fixture): Promise<string> {
  const known = digests.get(fixture.name)
  if (known !== undefined) return known
  const made = (async () => {
    const placed = await createRepository(fixture)
    await prepared(placed.root, 'rollback')
    const digest = await treeDigest(placed.root)
    await placed.remove()
    return digest
  })()
  digests.set(fixture.name, made)
  return made
}
