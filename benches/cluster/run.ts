// Measures a cluster: decisions per second of replicas on one database, the delay of answers given at another replica, the
// memory of open asks, and whether slow connections delay others. The full form also measures decisions with a synchronous standby
// and an open page at each replica. With `--against <benches/cluster/replica.ts of another checkout>` it only measures whether this
// checkout makes fewer decisions per second than that one.
//
// Replicas, database, callers, people and server share one machine, so the rates are limited by it; the split of processor
// time shows by what. Every comparison is made within one run, in turns.

import type { Goal, Measurement } from '../../scripts/measurement.ts'
import { ReplicatedPostgres } from '../../test-kit/replicated-postgres.ts'
import type { Served } from '../relay/processes.ts'
import { whole } from '../store/figures.ts'
import { compareClusters } from './against.ts'
import { type Crowded, type CrowdedSize, crowded } from './crowded.ts'
import { commitDelayMs, type PagesSize, type WithPages, withPages } from './pages.ts'
import { ClusterEnv } from './test-env.ts'
import { type Throughput, type ThroughputSize, throughput } from './throughput.ts'
import { type Waking, type WakingSize, waking } from './waking.ts'
import { type OpenSize, type OpenWeight, openWeight } from './weight.ts'

interface Sizes {
  readonly throughput: ThroughputSize
  readonly waking: WakingSize
  readonly open: OpenSize
  readonly crowded: CrowdedSize
  /** Only in the full form: a standby takes a while to start. */
  readonly pages?: PagesSize
}

const sizes: Record<'full' | 'quick', Sizes> = {
  full: {
    throughput: { turns: 3, turnMs: 4_000, people: 16 },
    waking: { forMs: 40_000, callers: 8 },
    open: { open: 100_000, people: 1_000, picked: 200 },
    crowded: { slow: 2_000, turns: 3, turnMs: 3_000 },
    pages: { turns: 6, turnMs: 4_000, people: 16 },
  },
  quick: {
    throughput: { turns: 1, turnMs: 800, people: 8 },
    waking: { forMs: 6_000, callers: 4 },
    open: { open: 3_000, people: 50, picked: 40 },
    crowded: { slow: 200, turns: 1, turnMs: 1_000 },
  },
}

/** The quick form runs on a busy machine: its limits find a broken cluster, not a slower one. */
const bars = {
  full: {
    bareRatioLeast: 0.05,
    scalingLeast: 0.7,
    signalMostMs: 150,
    rssMostMb: 300,
    bytesEachMost: 1_500,
    p99MostMs: 150,
    calmTimes: 2,
    pagesRatioLeast: 0.9,
  },
  quick: {
    bareRatioLeast: 0.01,
    scalingLeast: 0.3,
    signalMostMs: 1_500,
    rssMostMb: 300,
    bytesEachMost: 3_000,
    p99MostMs: 150,
    calmTimes: 8,
    pagesRatioLeast: 0.5,
  },
}

const replicaCount = 3
const openGoal = 100_000

interface Measured {
  readonly throughput: Throughput
  readonly waking: Waking
  readonly open: OpenWeight
  readonly crowded: Crowded
  readonly pages: WithPages | undefined
}

export const run: Measurement = async ({ quick, seed, against }) => {
  const form = quick ? 'quick' : 'full'
  const size = sizes[form]
  if (against !== undefined) return compareClusters(against, replicaCount, size.throughput, say)
  say('replicas, database, callers, people and their server share this machine')
  const all = {
    throughput: await ClusterEnv.within(async (testEnv) => {
      const replicas = await startReplicas(testEnv, size.throughput.people, {})
      return throughput(testEnv, replicas, size.throughput, say)
    }),
    ...(await ClusterEnv.within(async (testEnv) => {
      // With a timer for each client that was asked: the maximum memory of open asks.
      const replicas = await startReplicas(testEnv, size.open.picked, { silentAfterMs: 30 * 60_000 })
      const open = await openWeight(testEnv, replicas, size.open, say)
      return { open, crowded: await crowded(testEnv, replicas[0], size.crowded, say) }
    })),
    waking: await ClusterEnv.within((testEnv) => waking(testEnv, size.waking, seed, say)),
    pages: size.pages === undefined ? undefined : await onStandby(size.pages),
  }
  const problems = problemsIn(all, form)
  for (const problem of problems) say(`not reached: ${problem}`)
  return { reached: problems.length === 0, goals: goalsOf(all, form), figure: figureOf(all, size) }
}

async function onStandby(size: PagesSize): Promise<WithPages> {
  const database = await ReplicatedPostgres.start('cluster', commitDelayMs)
  try {
    return await ClusterEnv.within(async (testEnv) => {
      const replicas = await startReplicas(testEnv, size.people, {})
      return withPages(testEnv, replicas, size, say)
    }, database.url)
  } finally {
    await database.remove()
  }
}

/** Callers get a state at once, so that every step of a decision is a separate request. */
async function startReplicas(
  testEnv: ClusterEnv,
  people: number,
  settings: { silentAfterMs?: number },
): Promise<[Served, ...Served[]]> {
  const [first, ...others] = await testEnv.start(replicaCount, { holdMs: 0, ...settings })
  if (first === undefined) throw new Error('A cluster has at least one replica.')
  await testEnv.invite(first, people)
  return [first, ...others]
}

function goalsOf({ throughput, waking, open, pages }: Measured, form: 'full' | 'quick'): Goal[] {
  const bar = bars[form]
  const [one = 0] = throughput.inbox
  const most = Math.max(...throughput.inbox)
  const last = throughput.inbox.at(-1) ?? 0
  const signalled = Math.max(waking.nats.p99Ms, waking.notify.p99Ms)
  return [
    {
      what: 'decisions, share of the bare database',
      value: most / throughput.bare,
      unit: '',
      least: bar.bareRatioLeast,
    },
    { what: `${replicaCount} replicas, times one`, value: last / one, unit: '', least: bar.scalingLeast },
    { what: 'an answer given at another replica, p99', value: signalled, unit: 'ms', most: bar.signalMostMs },
    { what: 'memory of an open ask', value: open.bytesEach, unit: 'bytes', most: bar.bytesEachMost },
    ...(pages === undefined
      ? []
      : [
          {
            what: 'decisions with an open page, times without',
            value: pages.ratio,
            unit: '',
            least: bar.pagesRatioLeast,
          },
        ]),
  ]
}

function problemsIn({ throughput, waking, open, crowded, pages }: Measured, form: 'full' | 'quick'): string[] {
  const bar = bars[form]
  const [one = 0] = throughput.inbox
  const most = Math.max(...throughput.inbox)
  const last = throughput.inbox.at(-1) ?? 0
  const signalled = Math.max(waking.nats.p99Ms, waking.notify.p99Ms)
  // The memory if one replica had asked all of them; not meaningful for a few.
  const allInOneMb = form === 'quick' ? 0 : open.rssMb + (open.bytesEach * openGoal) / 2 ** 20
  const isDelayed = crowded.p99Ms >= bar.p99MostMs && crowded.p99Ms >= bar.calmTimes * crowded.calmP99Ms
  return [
    ...(most / throughput.bare < bar.bareRatioLeast
      ? [`${(most / throughput.bare).toFixed(3)} of the bare database, at least ${bar.bareRatioLeast}`]
      : []),
    ...(last < bar.scalingLeast * one
      ? [`${replicaCount} replicas handle ${whole(last)} decisions/s, one handles ${whole(one)}/s`]
      : []),
    ...(signalled > bar.signalMostMs
      ? [`a notified replica continued after ${whole(signalled)} ms, at most ${bar.signalMostMs}`]
      : []),
    ...(open.rssMb >= bar.rssMostMb || allInOneMb >= bar.rssMostMb
      ? [`${whole(open.rssMb)} MB in a replica, ${whole(allInOneMb)} MB if it asked all, under ${bar.rssMostMb}`]
      : []),
    ...(open.bytesEach > bar.bytesEachMost ? [`an open ask takes ${whole(open.bytesEach)} bytes`] : []),
    ...(open.sockets > 0 ? [`${open.sockets} sockets are held by asks`] : []),
    ...(isDelayed ? [`p99 of decisions beside slow connections ${whole(crowded.p99Ms)} ms`] : []),
    ...(pages !== undefined && pages.ratio < bar.pagesRatioLeast
      ? [
          `with an open page at each replica, ${pages.ratio.toFixed(2)} of the decisions without, at least ${bar.pagesRatioLeast}`,
        ]
      : []),
    ...(pages?.isLive === false ? ['an open page received no changes'] : []),
    ...(crowded.isComplete ? [] : ['too few slow connections were open']),
  ]
}

function figureOf({ throughput, waking, open, crowded, pages }: Measured, size: Sizes): string {
  const rates = (list: readonly number[]) => list.map(whole).join(', ')
  const ratio = (Math.max(...throughput.inbox) / throughput.bare).toFixed(2)
  return (
    `cluster: with 1, 2 and 3 replicas ${rates(throughput.client)} decisions/s answered by clients, ${rates(throughput.inbox)} in inboxes (${ratio} of the bare database); ` +
    `answered elsewhere, received p50 in ${waking.nats.p50Ms.toFixed(1)} ms by NATS, ${waking.notify.p50Ms.toFixed(1)} by LISTEN/NOTIFY, ${whole(waking.poll.p50Ms)} by the poll alone; ` +
    `${whole(size.open.open)} open: at most ${whole(open.rssMb)} MB in a replica, ${whole(open.bytesEach)} bytes each, ${open.sockets} sockets; ` +
    `beside ${whole(size.crowded.slow)} slow connections p99 ${whole(crowded.p99Ms)} ms, without ${whole(crowded.calmP99Ms)}` +
    (pages === undefined
      ? ''
      : `; with a synchronous standby ${whole(pages.closed)} decisions/s, with an open page at each replica ${whole(pages.open)}`)
  )
}

function say(line: string): void {
  console.log(`cluster: ${line}`)
}
