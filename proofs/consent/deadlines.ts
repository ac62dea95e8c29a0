// One deadline: a person answers shortly before or after the wait ends, for every timeout that can end it.
// An answer that is recorded as accepted was received by the asker; for other servers an answer that was not received is
// recorded as undelivered.
//
// Not covered here, and documented: an answer between the death of a process and the sweep, and callers of 2026-07-28 that
// never retry. All callers here retry as long as they have a state.

import { join } from 'node:path'
import { type Attempt, answerOnce } from './deadlines/answer-once.ts'
import { type Combination, combinations, patientCombinations } from './deadlines/combinations.ts'
import { aScene, type Scene } from './deadlines/scene.ts'
import { Tally } from './deadlines/tally.ts'
import { plainEnvironment } from './gateway-process.ts'
import { inParallel, type Section, type SectionInput, type SectionResult } from './section.ts'
import { verified } from './verify.ts'

const answers = 1_000
const atOnce = 30
/** In the quick form fewer, because the machine may be busy: the ask must be raised long before its wait ends. */
const atOnceQuick = 8
const patientEach = 6
/** Before and after the end. */
const withinMs = 150
/** The offset of the first answer for each tool, and some others: early enough on a busy machine too. */
const earlyMs = 400
const earlyShare = 0.2
/** Late enough that no answer arrives faster than a person can read: the program would reject it. */
const leavesFromMs = 800
const tries = 3

export const deadlinesSection: Section = {
  name: 'answers near the deadline',
  run,
  bugs: [
    {
      name: 'an answer that was not delivered is not recorded as such',
      package: '@assent/store',
      file: 'dist/asks/asks.js',
      from: /async undelivered\(([^)]*)\) \{/,
      to: 'async undelivered($1) {\n        return false;',
    },
    {
      name: 'the gateway stops waiting for a held call before the store does',
      package: 'assent',
      file: 'dist/limits.js',
      from: /expireLaterMs: 3_?000/,
      to: 'expireLaterMs: -600',
    },
  ],
}

async function run(input: SectionInput): Promise<SectionResult> {
  const { random, share } = input
  const isFull = share === 1
  const each = Math.max(1, Math.ceil((answers * share) / combinations.length))
  let tickets = 0
  const attemptOf = (combination: Combination, n: number): Attempt => {
    tickets += 1
    const isEarly = (n === 0 && combination.shorter === 'tool') || random.next() < earlyShare
    const offsetMs = isEarly ? -earlyMs : random.int(2 * withinMs + 1) - withinMs
    return { combination, ticket: `deadline-${tickets}-`, offsetMs, leavesAfterMs: leavesFromMs + random.int(400) }
  }
  const attempts = (of: readonly Combination[], count: number) =>
    Array.from({ length: count }, (_, n) => of.map((combination) => attemptOf(combination, n))).flat()
  const scene = await aScene(input)
  const tally = new Tally()
  const answer = async (attempt: Attempt) => {
    for (let n = 1; ; n++) {
      const answered = await answerOnce(scene, { ...attempt, ticket: `${attempt.ticket}${n}-` })
      tally.add(attempt, answered)
      if (answered.record !== undefined || n === tries) return
    }
  }
  try {
    const onboarding = combinations.filter(({ tool }) => tool === 'onboarding')
    const patient = isFull ? attempts(patientCombinations, patientEach) : []
    await Promise.all([
      inParallel(
        attempts(
          combinations.filter(({ tool }) => tool !== 'onboarding'),
          each,
        ),
        isFull ? atOnce : atOnceQuick,
        answer,
      ),
      inParallel(patient, patient.length, answer),
      // Onboarding runs once at a time per project.
      ...onboarding.map((one) => inParallel(attempts([one], isFull ? each : 1), 1, answer)),
    ])
    const faults = [...tally.faults, ...(await unrecorded(scene, tally))]
    if (isFull) faults.push(...tally.vacuous(), ...(await unverified(input, scene)))
    return { tried: tally.tried, faults, counts: tally.counts }
  } finally {
    await scene.close()
  }
}

/** Exactly the answers whose cards say "not delivered" have an entry in the audit log. */
async function unrecorded({ database }: Scene, { undelivered }: Tally): Promise<string[]> {
  const rows = await database.tamper(`select subject from assent.audit_entries where kind = 'ask.undelivered'`)
  const entries = new Set(rows.map(({ subject }) => String(subject)))
  const shown = new Set(undelivered)
  return [
    ...[...shown].filter((id) => !entries.has(id)).map((id) => `${id} is shown as not delivered, without an entry`),
    ...[...entries].filter((id) => !shown.has(id)).map((id) => `${id} has an entry, and is not shown as not delivered`),
  ]
}

async function unverified({ program }: SectionInput, { stores }: Scene): Promise<string[]> {
  const gateways = { program, env: plainEnvironment(stores.gateways), config: join(stores.gateways, 'assent.yaml') }
  const alone = { program, env: plainEnvironment(stores.alone) }
  const reports = await Promise.all([gateways, alone].map(verified))
  return reports.filter(({ code }) => code !== 0).map(({ output }) => `audit verify: ${output}`)
}
