// Proof: a handler written as straight-line code does the same on both generations, and nothing twice.
//
// Random handlers, one in four registered with `assent.tool`, are run to their end on 2025-11-25, where they wait, and on 2026-07-28, where they are run again for
// every answer: same result, same questions, same effects, each at most once, no gate without a yes. Then the states are
// modified, sent by others, with other arguments, to other tools, and sent again; with a store, nothing may happen
// twice, whatever is sent and however often. Handlers with slow branches, missing awaits and differing runs are in
// timed.ts; the same figures must find the planted faults of faults.ts.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyRing } from '@assent/core'
import { openSqlite } from '@assent/store'
import type { Measurement } from '../../scripts/measurement.ts'
import { type SeededRandom, seededRandom } from '../../test-kit/random.ts'
import { removeFolder } from '../../test-kit/remove-folder.ts'
import { count, printTable, type Tally, tally, total } from '../seal/tally.ts'
import { type Attacks, attackState, bringBack, createAttacks } from './attacks.ts'
import { type Called, call20251125, Served, type Setting } from './calls.ts'
import { faults } from './faults.ts'
import { isApproved, isAskedAgain } from './person.ts'
import { randomProgram } from './program.ts'
import { createTimed, runTimed } from './timed.ts'

const waitMs = 60_000
/** Of a question without an answer: on 2025-11-25 it takes this long. Other answers must not be later on a busy machine. */
const silentWaitMs = 5_000

interface Judged {
  readonly same: Tally
  readonly steps: Tally
  readonly gates: Tally
  readonly again: Tally
}

/** A question is asked at most twice more after an answer that only its author's check refuses. */
const asksAgain = 2

export const run: Measurement = async ({ quick, seed }) => {
  const random = seededRandom(seed)
  const share = quick ? 0.025 : 1
  const judged: Judged = {
    same: tally('same result, questions and effects'),
    steps: tally('effects'),
    gates: tally('gates'),
    again: tally('questions asked again after a refused answer'),
  }
  const attacks = createAttacks()
  const keys = [{ id: 'proof', secret: randomBytes(32) }]

  // An unanswered question takes a second on 2025-11-25, so those handlers wait in parallel while the others run.
  const silent = Array.from({ length: 2_000 * share }, () => {
    const program = randomProgram(random, { allowNoAnswer: true })
    const setting = { program, modes: { form: {}, url: {} }, keys, waitMs: silentWaitMs }
    return { setting, called: call20251125(setting) }
  })
  for (let n = 0; n < 100_000 * share; n++) {
    const program = randomProgram(random, { allowNoAnswer: false })
    const setting = { program, modes: randomModes(random), keys, waitMs, isTool: random.int(4) === 0 }
    const served = new Served(setting)
    judge(setting, await call20251125(setting), await served.call(), judged)
    await attackState(served, random, attacks)
  }
  for (const { setting, called } of silent) judge(setting, await called, await new Served(setting).call(), judged)
  await withStore(2_000 * share, random, attacks, judged)
  const timed = createTimed()
  const times = quick ? 0.01 : 1
  await runTimed({ repeating: 80_000 * times, unawaited: 10_000 * times, diverging: 20_000 * times }, random, timed)
  const notFound = await plantedFaults(random)

  printTable('handlers on both generations', Object.values(judged), 'wrong', 'odd')
  printTable('states', Object.values(attacks), 'accepted', 'odd')
  printTable('slow, unawaited and differing handlers', Object.values(timed), 'wrong', 'odd')
  const all = [...Object.values(judged), ...Object.values(attacks), ...Object.values(timed)]
  const reached = notFound.length === 0 && all.every(({ tried, wrong, odd }) => tried > 0 && wrong === 0 && odd === 0)
  const bad = total(Object.values(attacks))
  const figure =
    `replay: ${count(judged.same.tried)} handlers on both generations, ${judged.same.wrong} differ; ` +
    `${count(judged.steps.tried)} effects, ${judged.steps.wrong} twice; ` +
    `${count(judged.gates.tried)} gates opened, ${judged.gates.wrong} without a yes; ` +
    `${count(judged.again.tried)} questions asked again after an answer that only the schema refuses, ` +
    `${judged.again.wrong} too often; ` +
    `${count(bad.tried)} states tampered with, moved or brought back, ${bad.wrong} accepted; ` +
    `${count(timed.rejections.tried)} handlers with slow branches, missing awaits or differing runs: ` +
    `${timed.effects.wrong} effects twice, ${timed.gates.wrong} gates without approval, ` +
    `${timed.meanwhile.wrong} started beside an open approval that nothing awaits, ` +
    `${timed.diverged.wrong} divergences missed, ${timed.alarms.wrong + timed.same.wrong} false alarms, ` +
    `${timed.rejections.wrong} unhandled rejections, ${timed.receipts.wrong} receipts lost; ` +
    `${faults.length - notFound.length} of ${faults.length} planted faults found`
  return { reached, figure }
}

/** The names of planted faults that no figure shows. */
async function plantedFaults(random: SeededRandom): Promise<string[]> {
  const notFound: string[] = []
  for (const { name, plant, foundBy } of faults) {
    const timed = createTimed()
    await runTimed({ repeating: 25, unawaited: 40, diverging: 50, plant }, random, timed)
    if (foundBy.every((figure) => timed[figure].wrong === 0)) notFound.push(name)
  }
  for (const name of notFound) console.log(`planted and not found: ${name}`)
  return notFound
}

function judge({ program }: Setting, one: Called, other: Called, { same, steps, gates, again }: Judged): void {
  same.tried += 1
  if (summary(one) !== summary(other)) {
    same.wrong += 1
    if (same.wrong <= 3) console.log('these differ:', JSON.stringify(program.nodes), summary(one), summary(other))
  }
  for (const { effects, asked } of [one, other]) {
    for (const times of timesAskedAgain(asked)) {
      again.tried += times
      if (times > asksAgain) again.wrong += 1
    }
    for (const [name, times] of effects) {
      steps.tried += 1
      if (times > 1) steps.wrong += 1
      if (!name.startsWith('g')) continue
      gates.tried += 1
      if (!isApproved(program, name)) gates.wrong += 1
    }
  }
}

/** Per question, how often it was asked again. */
function timesAskedAgain(asked: readonly string[]): number[] {
  const times = new Map<string, number>()
  for (const message of asked.filter(isAskedAgain)) {
    const [question = ''] = message.split('\n', 1)
    times.set(question, (times.get(question) ?? 0) + 1)
  }
  return [...times.values()]
}

/** Parallel effects have no fixed order, so they are compared without it. */
function summary({ outcome, effects, asked }: Called): string {
  return JSON.stringify([outcome, [...effects].sort(), asked.map(withoutDigest).sort()])
}

/** An approval shows the digest of the action, which includes the definition of a registered tool. */
function withoutDigest(message: string): string {
  return message.replace(/ · digest [0-9a-f]+$/, '')
}

function randomModes(random: SeededRandom): Setting['modes'] {
  const chance = random.int(20)
  if (chance === 0) return undefined
  if (chance === 1) return { form: {} }
  return chance === 2 ? { url: {} } : { form: {}, url: {} }
}

async function withStore(handlers: number, random: SeededRandom, attacks: Attacks, judged: Judged): Promise<void> {
  // On a memory file system if there is one: every commit is synced, and thousands would measure the disk.
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const folder = await mkdtemp(join(place, 'assent-replay-'))
  const ring = createKeyRing([{ id: 'store', secret: randomBytes(32) }])
  const store = await openSqlite(join(folder, 'assent.db'), { keys: ring })
  try {
    for (let n = 0; n < handlers; n++) {
      const keys = [{ id: 'proof', secret: randomBytes(32) }]
      const setting = {
        program: randomProgram(random, { allowNoAnswer: false }),
        modes: { form: {}, url: {} },
        keys,
        waitMs,
        store,
        // One caller each: states that are brought back leave questions open, and a caller may have only so many.
        sub: `person-${n}`,
      }
      const served = new Served(setting)
      const called = await served.call()
      judge(setting, await call20251125(setting), called, judged)
      await bringBack(served, called, random, attacks)
    }
  } finally {
    await store.close()
    await removeFolder(folder)
  }
}
