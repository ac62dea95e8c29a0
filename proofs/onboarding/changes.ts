// Something changes between the approval and the last rename: in a file, in the plan, before the question, while the
// person decides, or in the middle of the migration.

import { hash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createRepository } from '../../packages/onboarding/src/fixtures/fixture.suite.ts'
import { monorepo } from '../../packages/onboarding/src/fixtures/repositories.corpus.ts'
import { runAction } from '../../packages/onboarding/src/run-action.suite.ts'
import type { SeededRandom } from '../../test-kit/random.ts'

interface Changes {
  tried: number
  refused: number
  harmless: number
  migrated: number
  readonly by: Record<string, number>
  readonly wrong: string[]
}

/** Synchronous, so that it is done before the next line of the migration runs. */
type Change = (root: string, random: SeededRandom) => void

const edited = ['AGENTS.md', 'CLAUDE.md', '.github/copilot-instructions.md'] as const

const changes: Readonly<Record<string, Change>> = {
  'a byte more': (root, random) => appendFileSync(join(root, random.pick(edited)), 'x'),
  'a byte less': (root, random) => {
    const path = join(root, random.pick(edited))
    writeFileSync(path, readFileSync(path).subarray(0, -1))
  },
  'a byte turned': (root, random) => {
    const path = join(root, random.pick(edited))
    const bytes = readFileSync(path)
    const at = random.int(bytes.length)
    bytes[at] = ((bytes[at] ?? 0) + 1 + random.int(255)) % 256
    writeFileSync(path, bytes)
  },
  'another mode': (root, random) => chmodSync(join(root, random.pick(edited)), 0o600),
  'a file gone': (root, random) => rmSync(join(root, random.pick(edited))),
  'a link instead': (root, random) => {
    const path = join(root, random.pick(edited))
    renameSync(path, `${path}.kept`)
    symlinkSync(`${path}.kept`, path)
  },
}

/** These do not change a file that is replaced, so they are detected before the backup, not during the migration. */
const outsideChanges: Readonly<Record<string, Change>> = {
  'an additional instruction file': (root) => writeFileSync(join(root, 'GEMINI.md'), '# New\n'),
  'a rule that stays, changed': (root) => appendFileSync(join(root, 'packages/api/AGENTS.md'), '- More.\n'),
  'the text in the plan': (root, random) =>
    alterPlan(root, (plan) => {
      const edit = random.pick(plan.edits)
      if (edit.after !== null) edit.after = { ...edit.after, text: `${edit.after.text}- And this.\n` }
    }),
  'the text in the plan, and its digest': (root, random) =>
    alterPlan(root, (plan) => {
      const edit = random.pick(plan.edits)
      const text = `${edit.after?.text}- And this.\n`
      if (edit.after !== null) edit.after = { ...edit.after, text, digest: `sha256:${hash('sha256', text, 'hex')}` }
    }),
  'a path in the plan': (root, random) =>
    alterPlan(root, (plan) => {
      random.pick(plan.edits).path = random.pick([
        '../AGENTS.md',
        '/etc/motd',
        'src/../../x',
        'C:/x',
        '.git/config',
        'package.json',
      ])
    }),
  'the reasons in the plan': (root, random) =>
    alterPlan(root, (plan) => {
      random.pick(plan.edits).why = 'is only spelled better'
    }),
  'what the plan says it was made from': (root) =>
    alterPlan(root, (plan) => {
      plan.inputs = []
    }),
}

interface LoosePlan {
  edits: { path: string; why: string; after: { text: string; digest: string } | null }[]
  inputs: unknown[]
}

function alterPlan(root: string, alter: (plan: LoosePlan) => void): void {
  const path = join(root, '.copilot-state/proposal.json')
  const plan = JSON.parse(readFileSync(path, 'utf8')) as LoosePlan
  alter(plan)
  writeFileSync(path, JSON.stringify(plan))
}

const harmless: Readonly<Record<string, Change>> = {
  'a file written again, the same': (root, random) => {
    const path = join(root, random.pick(edited))
    writeFileSync(path, readFileSync(path))
  },
  'another time of change': (root, random) => utimesSync(join(root, random.pick(edited)), 1, 1),
  'an unrelated file': (root) => writeFileSync(join(root, 'README.txt'), 'hello'),
  'the saved diff': (root) => writeFileSync(join(root, '.copilot-state/proposal.diff'), 'nothing to see'),
  'the plan, spelled in another way': (root) => alterPlan(root, () => undefined),
}

const early = ['before the question', 'while the person decides'] as const
/** By then the backup exists, and each file is compared again just before it is replaced. */
const late = [
  'checked',
  'backup verified',
  'journal says applying',
  'file 1 staged',
  'file 3 staged',
  'file 1 changed',
  'file 2 changed',
  'file 3 changed',
] as const

export async function changeAfterApproval(
  random: SeededRandom,
  times: number,
  harmlessTimes: number,
): Promise<Changes> {
  const result: Changes = { tried: 0, refused: 0, harmless: 0, migrated: 0, by: {}, wrong: [] }
  for (let n = 0; n < times; n++) {
    const when = random.pick([...early, ...late])
    const isEarly = when === early[0] || when === early[1]
    const all = isEarly ? { ...changes, ...outsideChanges } : changes
    const name = random.pick(Object.keys(all))
    const { status, code, isKept } = await attempt(all[name] as Change, when, random)
    result.tried += 1
    result.by[String(code)] = (result.by[String(code)] ?? 0) + 1
    if (status === 'error' && isKept) result.refused += 1
    else result.wrong.push(`${name}, ${when}: ${status} ${code}${isKept ? '' : ', and the tree was changed'}`)
  }
  for (let n = 0; n < harmlessTimes; n++) {
    const name = random.pick(Object.keys(harmless))
    const when = random.pick(early)
    const { status, code } = await attempt(harmless[name] as Change, when, random)
    result.harmless += 1
    if (status === 'completed') result.migrated += 1
    else result.wrong.push(`${name}, ${when}: ${status} ${code}`)
  }
  return result
}

async function attempt(change: Change, when: string, random: SeededRandom) {
  const placed = await createRepository(monorepo)
  const { root } = placed
  try {
    await runAction({ root, action: 'propose' })
    await runAction({ root, action: 'approve' })
    // The expected tree at the end: the original with the change.
    const expected = snapshot(root)
    const make = () => {
      const before = snapshot(root)
      change(root, random)
      const after = snapshot(root)
      for (const path of new Set([...before.keys(), ...after.keys()])) {
        if (before.get(path) === after.get(path)) continue
        const now = after.get(path)
        if (now === undefined) expected.delete(path)
        else expected.set(path, now)
      }
    }
    const makeAt = (point: string) => {
      if (point === when) make()
    }
    makeAt(early[0])
    const { status, code } = await runAction({
      root,
      action: 'migrate',
      whileAsked: () => makeAt(early[1]),
      reached: makeAt,
    })
    const found = snapshot(root)
    const isKept = found.size === expected.size && [...found].every(([path, was]) => expected.get(path) === was)
    return { status, code, isKept }
  } finally {
    await placed.remove()
  }
}

/** Every file except ours and those being written. */
function snapshot(root: string): Map<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => !name.startsWith('.copilot-state') && !name.endsWith('.tmp'))
  return new Map(
    files.flatMap((name): [string, string][] => {
      const place = join(root, name)
      const stat = lstatSync(place)
      if (stat.isSymbolicLink()) return [[name, `link ${readlinkSync(place)}`]]
      if (!stat.isFile()) return []
      return [[name, `${stat.mode} ${hash('sha256', readFileSync(place), 'hex')}`]]
    }),
  )
}
