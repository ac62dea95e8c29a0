// Handlers whose branches take a different time in every round, that miss an `await`, or that do not repeat themselves.
//
// Time is a fake clock. It advances at random moments, so a round may end before a slow branch has asked or after.

import { randomBytes } from 'node:crypto'
import { setImmediate as realTurn } from 'node:timers/promises'
import type { Interaction } from '@assent/sdk'
import { type Clock, install } from '@sinonjs/fake-timers'
import type { SeededRandom } from '../../test-kit/random.ts'
import { type Tally, tally } from '../seal/tally.ts'
import { type Called, call20251125, Served, type Setting } from './calls.ts'
import { isApproved } from './person.ts'
import { type Node, type Program, randomProgram, type Variation } from './program.ts'

const longestDelayMs = 3_000
const waitMs = 60_000
const keys = [{ id: 'proof', secret: randomBytes(32) }]

export type Timed = Readonly<
  Record<
    'alarms' | 'same' | 'unawaited' | 'meanwhile' | 'diverged' | 'effects' | 'gates' | 'receipts' | 'rejections',
    Tally
  >
>

export function createTimed(): Timed {
  return {
    alarms: tally('repeating handlers, slow branches: false alarms'),
    same: tally('repeating handlers, slow branches: another result'),
    unawaited: tally('handlers with a missing await: a result'),
    meanwhile: tally('work beside an open approval that nothing awaits'),
    diverged: tally('handlers that do not repeat themselves: missed'),
    effects: tally('effects run twice'),
    gates: tally('gates without approval'),
    receipts: tally('receipts lost'),
    rejections: tally('unhandled rejections'),
  }
}

export interface TimedOptions {
  readonly repeating: number
  readonly unawaited: number
  readonly diverging: number
  readonly plant?: (interaction: Interaction) => Interaction
}

export async function runTimed(options: TimedOptions, random: SeededRandom, into: Timed): Promise<void> {
  const clock = install({ toFake: ['setTimeout', 'clearTimeout'] })
  const onUnhandled = () => {
    into.rejections.wrong += 1
  }
  process.on('unhandledRejection', onUnhandled)
  const plant = options.plant === undefined ? {} : { plant: options.plant }
  const settingOf = (program: Program): Setting => ({ program, modes: { form: {}, url: {} }, keys, waitMs, ...plant })
  try {
    for (let n = 0; n < options.repeating; n++) {
      const setting = settingOf(randomProgram(random, { allowNoAnswer: false }))
      const vary = () => ({ pace: paceOf(random) })
      const called = await callTimed({ ...setting, vary }, clock, random, into)
      const expected = await call20251125(setting)
      into.alarms.tried += 1
      if (called.outcome.includes('out_of_order')) into.alarms.wrong += 1
      judgeSame(setting, called, expected, into.same)
    }
    for (let n = 0; n < options.unawaited; n++) {
      const setting = settingOf(randomProgram(random, { allowNoAnswer: false, isUnawaited: true }))
      const called = await callTimed({ ...setting, vary: () => ({ pace: paceOf(random) }) }, clock, random, into)
      const live = await call20251125(setting)
      into.unawaited.tried += 1
      for (const { outcome } of [called, live]) if (outcome.startsWith('[')) into.unawaited.wrong += 1
    }
    for (let n = 0; n < options.diverging; n++) await diverge(settingOf, clock, random, into)
    await realTurn()
  } finally {
    process.off('unhandledRejection', onUnhandled)
    clock.uninstall()
  }
}

/** One node of the program has another name in every run, or is left out of some runs. */
async function diverge(
  settingOf: (program: Program) => Setting,
  clock: Clock,
  random: SeededRandom,
  into: Timed,
): Promise<void> {
  const program = randomProgram(random, { allowNoAnswer: false })
  const ids = idsIn(program.nodes)
  if (ids.length === 0) return
  const changed = random.pick(ids)
  const kind = random.pick(['renamed', 'skipped', 'added'] as const)
  const vary = (run: number): Variation => {
    const pace = paceOf(random)
    if (kind === 'renamed') return { pace, nameOf: (id, name) => (id === changed ? `${name}#${run}` : name) }
    const isAbsent = kind === 'skipped' ? run > 1 : run === 1
    return { pace, skips: (id) => id === changed && isAbsent }
  }
  const served = new Served({ ...settingOf(program), vary })
  const called = await finish(served, clock, random)
  judgeEffects(program, served, into)
  into.diverged.tried += 1
  const hasResult = called.outcome.startsWith('[')
  const { journalled, current } = served.effects
  if (hasResult && [...journalled].some((name) => !current.has(name))) into.diverged.wrong += 1
}

async function callTimed(setting: Setting, clock: Clock, random: SeededRandom, into: Timed): Promise<Called> {
  const served = new Served(setting)
  const called = await finish(served, clock, random)
  judgeEffects(setting.program, served, into)
  return called
}

/** Lets real turns and fake time pass until the call has ended. */
async function finish(served: Served, clock: Clock, random: SeededRandom): Promise<Called> {
  let called: Called | undefined
  let error: unknown
  served.call().then(
    (value) => {
      called = value
    },
    (thrown: unknown) => {
      error = thrown
    },
  )
  while (called === undefined) {
    if (error !== undefined) throw error
    for (let turns = random.int(4); turns >= 0 && called === undefined; turns--) await realTurn()
    if (called === undefined) clock.next()
  }
  return called
}

function paceOf(random: SeededRandom): () => Promise<void> {
  return async () => {
    if (random.int(2) === 0) await new Promise((resolve) => setTimeout(resolve, random.int(longestDelayMs)))
  }
}

function judgeSame({ program, plant }: Setting, called: Called, expected: Called, same: Tally): void {
  same.tried += 1
  if (summary(called) === summary(expected)) return
  same.wrong += 1
  if (same.wrong <= 3 && plant === undefined)
    console.log('differs:', JSON.stringify(program.nodes), summary(called), summary(expected))
}

function summary({ outcome, effects, asked }: Called): string {
  return JSON.stringify([outcome, [...effects].sort(), [...asked].sort()])
}

function judgeEffects(program: Program, { effects }: Served, into: Timed): void {
  for (const [name, times] of effects.counts) {
    into.effects.tried += 1
    if (times > 1) into.effects.wrong += 1
    if (!/^[gu]/.test(name)) continue
    into.gates.tried += 1
    if (!isApproved(program, name)) into.gates.wrong += 1
  }
  into.meanwhile.tried += effects.meanwhile.ran
  into.meanwhile.wrong += effects.meanwhile.early
  into.receipts.tried += effects.receipts.due
  into.receipts.wrong += Math.max(0, effects.receipts.due - effects.receipts.valid)
  into.rejections.tried += 1
}

function idsIn(nodes: readonly Node[]): number[] {
  return nodes.flatMap((node) => {
    switch (node.does) {
      case 'branch':
        return [...idsIn(node.one), ...idsIn(node.other)]
      case 'loop':
        return idsIn(node.body)
      case 'together':
        return node.parts.flatMap(idsIn)
      case 'ask':
      case 'step':
      case 'gate':
        return [node.id]
      default:
        return []
    }
  })
}
