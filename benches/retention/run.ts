// Measures `assent retain`: how many asks it erases and deletes per second, and how much that delays decisions.
//
// In turns: a store decides alone, and then while another one erases the asks of one past day; then the same with deleting. The
// delay is a ratio within one run, because absolute figures depend on the machine. Afterwards the log and what is left have to verify,
// with everything erased that was due and nothing else.

import { setTimeout as sleep } from 'node:timers/promises'
import type { RetentionPeriods, Store } from '@assent/store'
import { type Goal, isMet, type Measurement } from '../../scripts/measurement.ts'
import { retried } from '../../test-kit/retried.ts'
import { quantile, seconds, whole } from '../store/figures.ts'
import { inFreshSchema, type TestDb } from '../store/test-db.ts'
import { decide } from '../tenant/decide.ts'
import { dayMs, fillWithPastAsks, tenant } from './past-asks.ts'

const callers = 4
/** Between two decisions of a caller. Without it, the callers would use all of the processor, and the ratio would show only that. */
const pauseMs = 10

/** The quick form runs on a busy machine: its limits find a step that reads a whole table, or locks what decisions need. */
const sizes = {
  full: { days: 8, perDay: 20_000, aloneMs: 4_000, erasedLeast: 5_000, deletedLeast: 10_000, delayMost: 2 },
  quick: { days: 4, perDay: 1_000, aloneMs: 1_000, erasedLeast: 500, deletedLeast: 1_000, delayMost: 10 },
}

/** Of all turns together. */
interface Turns {
  readonly count: number
  readonly perSecond: number
  /** Times of decisions, in milliseconds. */
  readonly alone: readonly number[]
  readonly meanwhile: readonly number[]
  readonly delay: number
}

export const run: Measurement = async ({ quick }) => {
  const { days, perDay, aloneMs, erasedLeast, deletedLeast, delayMost } = quick ? sizes.quick : sizes.full
  return inFreshSchema(async (testDb) => {
    const sinceMs = Date.now() - (days + 30) * dayMs
    const startedAt = performance.now()
    const { asks, entries } = await fillWithPastAsks(testDb, { days, perDay, sinceMs })
    say(`filled with ${whole(asks)} ended asks and ${whole(entries)} entries in ${seconds(startedAt)}`)
    const [deciding, retaining] = [await testDb.open(callers), await testDb.open(1)]
    const stopSequencer = startSequencer(deciding)
    await decideDuring(deciding, sleep(aloneMs))
    const first = await eraseFirstDay(testDb, retaining, sinceMs)

    /** One day at a time. */
    const inTurns = async (name: 'asks' | 'deleted', periodsOf: (ageMs: number) => RetentionPeriods) => {
      const turn = async (day: number) => {
        const alone = await decideDuring(deciding, sleep(aloneMs))
        const periods = periodsOf(Date.now() - sinceMs - day * dayMs)
        return { alone, ...(await decideMeanwhile(deciding, () => retaining.retention.apply(tenant, periods))) }
      }
      const turns: Awaited<ReturnType<typeof turn>>[] = []
      for (let day = 2; day <= days; day++) turns.push(await turn(day))
      const [alone, meanwhile] = [turns.flatMap((one) => one.alone), turns.flatMap((one) => one.meanwhile)]
      const count = turns.reduce((sum, { done }) => sum + done[name], 0)
      const perSecond = (count * 1_000) / turns.reduce((sum, { tookMs }) => sum + tookMs, 0)
      return { count, perSecond, alone, meanwhile, delay: quantile(meanwhile, 0.99) / quantile(alone, 0.99) }
    }
    const erasing = await inTurns('asks', (answersMs) => ({ answersMs }))
    sayTurns('erased', erasing)
    const deleting = await inTurns('deleted', (recordMs) => ({ answersMs: recordMs, recordMs }))
    sayTurns('deleted', deleting)
    await stopSequencer()
    await check(testDb, deciding, { asks, entries, erased: first + erasing.count, deleted: deleting.count })

    const goals: Goal[] = [
      { what: 'asks erased', value: erasing.perSecond, unit: '/s', least: erasedLeast },
      { what: 'asks deleted', value: deleting.perSecond, unit: '/s', least: deletedLeast },
      { what: 'p99 of decisions during erasing, times alone', value: erasing.delay, unit: '', most: delayMost },
      { what: 'p99 of decisions during deleting, times alone', value: deleting.delay, unit: '', most: delayMost },
    ]
    const of = ({ perSecond, delay }: Turns, least: number) =>
      `${whole(perSecond)}/s (${perSecond >= least ? '' : 'not '}≥ ${whole(least)}), p99 of decisions ×${delay.toFixed(2)} (${delay <= delayMost ? '' : 'not '}≤ ${delayMost})`
    const figure = `retention: erased ${of(erasing, erasedLeast)}; deleted ${of(deleting, deletedLeast)}`
    return { reached: goals.every(isMet), goals, figure }
  })
}

/** Without decisions, for the processor time of the database. */
async function eraseFirstDay({ cpuMsDuring }: TestDb, store: Store, sinceMs: number): Promise<number> {
  const startedAt = performance.now()
  let count = 0
  const cpuMs = await cpuMsDuring(async () => {
    count = (await store.retention.apply(tenant, { answersMs: Date.now() - sinceMs - dayMs })).asks
  })
  const perSecond = (count * 1_000) / (performance.now() - startedAt)
  say(
    `erased ${whole(count)} asks without decisions, ${whole(perSecond)}/s; ${whole((cpuMs * 1_000) / count)} µs of processor time of the database each`,
  )
  return count
}

async function decideMeanwhile<Done>(store: Store, retain: () => Promise<Done>) {
  const startedAt = performance.now()
  const retaining = retain().then((done) => ({ done, tookMs: performance.now() - startedAt }))
  const meanwhile = await decideDuring(store, retaining)
  return { meanwhile, ...(await retaining) }
}

/** The times of the decisions that began before this work ended. */
async function decideDuring(store: Store, work: Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  const caller = async (at: number) => {
    for (let n = at; !isOver; n++) {
      times.push(await decide(store, { tenant, person: `p${at}`, n }, retried))
      await sleep(pauseMs)
    }
  }
  await Promise.all([over, ...Array.from({ length: callers }, (_, at) => caller(at))])
  return times
}

/** Adds the entries of the decisions to the log, as in a gateway. */
function startSequencer(store: Store): () => Promise<void> {
  const errors: unknown[] = []
  const sequencer = store.startSequencer([tenant], (error) => errors.push(error))
  return async () => {
    await sequencer.stop()
    if (errors.length > 0) throw errors[0]
  }
}

async function check(
  { rows }: TestDb,
  store: Store,
  { asks, entries, erased, deleted }: Readonly<Record<'asks' | 'entries' | 'erased' | 'deleted', number>>,
): Promise<void> {
  if (erased !== asks || deleted !== asks)
    throw new Error(`Of ${asks} asks, ${erased} were erased and ${deleted} deleted.`)
  const startedAt = performance.now()
  const verdict = await store.record.verify(tenant)
  if (!verdict.ok) throw new Error(verdict.problems[0].problem)
  if (verdict.erased !== entries) throw new Error(`${verdict.erased} entries are erased, and ${entries} were due.`)
  const [open] = await rows<{ open: string }>(
    `select count(*) as open from asks where state <> 'settled' or erased_at is not null`,
  )
  if (Number(open?.open) !== 0) throw new Error('Asks are open or erased that should be settled.')
  say(
    `the log verifies in ${seconds(startedAt)}: ${whole(verdict.lastSeq)} entries, ${whole(verdict.erased)} erased; ${whole(verdict.asks)} asks match it`,
  )
}

function sayTurns(what: string, { count, perSecond, alone, meanwhile }: Turns): void {
  const times = (all: readonly number[]) =>
    `p50 ${quantile(all, 0.5).toFixed(1)} ms, p99 ${quantile(all, 0.99).toFixed(1)} ms (${whole(all.length)})`
  say(
    `${what} ${whole(count)} asks, ${whole(perSecond)}/s; decisions alone ${times(alone)}, during it ${times(meanwhile)}`,
  )
}

function say(line: string): void {
  console.log(`retention: ${line}`)
}
