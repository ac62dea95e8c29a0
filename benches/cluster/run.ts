// Measures a cluster: decisions per second of replicas on one database, the delay of answers given at another replica, the
// memory of open asks, and whether slow connections delay others.
//
// Replicas, database, callers, people and server share one machine, so the rates are limited by it; the split of processor
// time shows by what. Every comparison is made within one run, in turns.

import type { Measurement } from '../../scripts/measurement.ts'
import type { Served } from '../relay/processes.ts'
import { whole } from '../store/figures.ts'
import { type Crowded, type CrowdedSize, crowded } from './crowded.ts'
import { ClusterEnv } from './test-env.ts'
import { type Throughput, type ThroughputSize, throughput } from './throughput.ts'
import { type Waking, type WakingSize, waking } from './waking.ts'
import { type OpenSize, type OpenWeight, openWeight } from './weight.ts'

interface Sizes {
  readonly throughput: ThroughputSize
  readonly waking: WakingSize
  readonly open: OpenSize
  readonly crowded: CrowdedSize
}

const sizes: Record<'full' | 'quick', Sizes> = {
  full: {
    throughput: { turns: 3, turnMs: 4_000, people: 16 },
    waking: { forMs: 40_000, callers: 8 },
    open: { open: 100_000, people: 1_000, picked: 200 },
    crowded: { slow: 2_000, turns: 3, turnMs: 3_000 },
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
  },
  quick: {
    bareRatioLeast: 0.01,
    scalingLeast: 0.3,
    signalMostMs: 1_500,
    rssMostMb: 300,
    bytesEachMost: 3_000,
    p99MostMs: 150,
    calmTimes: 8,
  },
}

const replicaCount = 3
const openGoal = 100_000

interface Measured {
  readonly throughput: Throughput
  readonly waking: Waking
  readonly open: OpenWeight
  readonly crowded: Crowded
}

export const run: Measurement = async ({ quick, seed }) => {
  const form = quick ? 'quick' : 'full'
  const size = sizes[form]
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
  }
  const problems = problemsIn(all, form)
  for (const problem of problems) say(`not reached: ${problem}`)
  return { reached: problems.length === 0, figure: figureOf(all, size) }
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

function problemsIn({ throughput, waking, open, crowded }: Measured, form: 'full' | 'quick'): string[] {
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
    ...(crowded.isComplete ? [] : ['too few slow connections were open']),
  ]
}

function figureOf({ throughput, waking, open, crowded }: Measured, size: Sizes): string {
  const rates = (list: readonly number[]) => list.map(whole).join(', ')
  const ratio = (Math.max(...throughput.inbox) / throughput.bare).toFixed(2)
  return (
    `cluster: with 1, 2 and 3 replicas ${rates(throughput.client)} decisions/s answered by clients, ${rates(throughput.inbox)} in inboxes (${ratio} of the bare database); ` +
    `answered elsewhere, received p50 in ${waking.nats.p50Ms.toFixed(1)} ms by NATS, ${waking.notify.p50Ms.toFixed(1)} by LISTEN/NOTIFY, ${whole(waking.poll.p50Ms)} by the poll alone; ` +
    `${whole(size.open.open)} open: at most ${whole(open.rssMb)} MB in a replica, ${whole(open.bytesEach)} bytes each, ${open.sockets} sockets; ` +
    `beside ${whole(size.crowded.slow)} slow connections p99 ${whole(crowded.p99Ms)} ms, without ${whole(crowded.calmP99Ms)}`
  )
}

function say(line: string): void {
  console.log(`cluster: ${line}`)
}
