// Proof: no schema and no answer, however hostile, crashes the validator, stalls it, changes a prototype or gets a wrong
// verdict.
//
// The validator is compared with how each case was generated: valid cases must be accepted, cases with a known defect must
// be refused, so errors in both directions are found. Noise has no known verdict; there only crashes, time and plain
// results count, and an accepted schema must be the same after being written and read again.
import { readForm } from '../../packages/core/src/form/read.ts'
import { linearPatterns } from '../../packages/gateway/src/call/screen/patterns.ts'
import type { Measurement, Verdict } from '../../scripts/measurement.ts'
import { type SeededRandom, seededRandom } from '../../test-kit/random.ts'
import { badAnswer, badSchema, formPlan, goodAnswer } from './case.ts'
import { bombs, deepSchema, heavy, noise, noisySchema, wideSchema } from './hostile.ts'
import { Watch } from './judge.ts'
import { onPollutedPrototypes } from './polluted.ts'
import { collectGarbage, type Durations, timed } from './watch.ts'

/** The quick form runs on a busy machine: its limits find a validator that stalls, not one that was interrupted. */
const goalsOf = {
  full: { p99Ms: 1, slowestMs: 50, bombMs: 5 },
  quick: { p99Ms: 2, slowestMs: 200, bombMs: 5 },
}
type Goals = (typeof goalsOf)['full']
const pollutedShare = 0.02

export const run: Measurement = async ({ quick, seed }) => {
  const random = seededRandom(seed)
  const watch = new Watch()
  const goal = quick ? 50_000 : 1_000_000
  const hostile = bombs()
  collectGarbage()

  while (watch.count < goal * (1 - pollutedShare)) oneRound(random, watch, hostile)
  const wideMs = slowestMs(wideSchema(5_000))
  const deepMs = slowestMs(deepSchema(100_000))
  // Last, because engines permanently lose some optimizations once these prototypes have been changed.
  while (watch.count < goal) onPollutedPrototypes(random, watch)

  return report(watch, wideMs, deepMs, goalsOf[quick ? 'quick' : 'full'])
}

function oneRound(random: SeededRandom, watch: Watch, hostile: readonly unknown[]): void {
  const plan = formPlan(random)
  const form = watch.goodSchema(plan)
  for (let i = 0; i < 3; i++) watch.schema('spoiled schema', badSchema(random, plan), false)
  watch.schema('noise as a schema', noisySchema(random), undefined)
  if (random.int(2) === 0) watch.schema('hostile schema', random.pick(hostile), false)
  if (random.int(8) === 0) onHeavy(random, watch)
  if (form === undefined) return
  for (let i = 0; i < 2; i++) watch.goodAnswer(form, goodAnswer(random, plan))
  for (let i = 0; i < 4; i++) watch.answer('spoiled answer', form, badAnswer(random, plan), false)
  watch.answer('noise as an answer', form, noise(random), undefined)
  if (random.int(2) === 0) watch.answer('hostile answer', form, random.pick(hostile), false)
  watch.checkPrototypes()
}

function onHeavy(random: SeededRandom, watch: Watch): void {
  const { schema, answer } = heavy(random)
  const form = watch.schema('heavy schema', schema, true)
  if (form !== undefined) watch.answer('heavy answer', form, answer, undefined)
}

/** The slowest of many runs, warm; Infinity if it was not refused. Of three batches the fastest, because the machine pauses us. */
function slowestMs(bomb: unknown): number {
  return Math.min(...Array.from({ length: 3 }, () => slowestOfBatch(bomb)))
}

function slowestOfBatch(bomb: unknown): number {
  let worstMs = 0
  collectGarbage()
  for (let i = 0; i < 50; i++) {
    const { result, ownMs } = timed(() => readForm(bomb, linearPatterns))
    if (result.ok) return Number.POSITIVE_INFINITY
    if (i >= 20) worstMs = Math.max(worstMs, ownMs)
  }
  return worstMs
}

function report(watch: Watch, wideMs: number, deepMs: number, goals: Goals): Verdict {
  const { crashes, surprises, wrongVerdicts, own, clock } = watch
  for (const [kind, count] of watch.kinds) console.log(`schema: ${inThousands(count)} × ${kind}`)
  console.log(`schema: own time, garbage collection included: ${spread(own)}; the slowest was a ${watch.slowestKind}`)
  console.log(`schema: by the clock, the turns of other processes included: ${spread(clock)}`)
  console.log(`schema: 5,000 properties refused in ${wideMs.toFixed(2)} ms, 100,000 levels in ${deepMs.toFixed(2)} ms`)

  const p99Ms = own.quantileMs(0.99)
  const right = crashes + surprises + wrongVerdicts === 0
  const fast = p99Ms < goals.p99Ms && own.slowestMs < goals.slowestMs
  const verdicts = `${crashes} crashes, ${surprises} surprises, ${wrongVerdicts} wrong verdicts`
  return {
    reached: right && fast && wideMs < goals.bombMs && deepMs < goals.bombMs,
    figure: `schema: ${inThousands(watch.count)} judged, ${verdicts}, p99 ${p99Ms.toFixed(2)} ms, slowest ${own.slowestMs.toFixed(1)} ms`,
  }
}

function spread(durations: Durations): string {
  const [p50, p99] = [0.5, 0.99].map((share) => durations.quantileMs(share).toFixed(4))
  return `p50 ${p50} ms, p99 ${p99} ms, slowest ${durations.slowestMs.toFixed(1)} ms`
}

function inThousands(value: number): string {
  return value.toLocaleString('en')
}
