// Measures a fleet: how many decisions replicas on one database carry, how soon a caller hears what was answered elsewhere,
// what open asks weigh, and whether slow connections hold anyone up.
//
// Replicas, the database, callers, people and the server behind share one machine, so rates here are what it has left for
// each of them; the split of its processor time says where they end. Every comparison is made within one run, in turns.

import type { Measurement } from '../scripts/measurement.ts'
import { type Crowded, type CrowdedSize, crowded } from './fleet-crowded.part.ts'
import { FleetStage } from './fleet-stage.part.ts'
import { type Throughput, type ThroughputSize, throughput } from './fleet-throughput.part.ts'
import { type Waking, type WakingSize, waking } from './fleet-waking.part.ts'
import { type OpenSize, type OpenWeight, openWeight } from './fleet-weight.part.ts'
import type { Served } from './relay-processes.part.ts'
import { whole } from './store-figures.part.ts'

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

/** Quick runs beside other work on shared cores: its bars find a broken fleet, not a slower one. */
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
    throughput: await FleetStage.within(async (stage) => {
      const replicas = await aFleet(stage, size.throughput.people, {})
      return throughput(stage, replicas, size.throughput, say)
    }),
    ...(await FleetStage.within(async (stage) => {
      // With a timer for the silence of each client that was asked: the most that open asks can weigh.
      const replicas = await aFleet(stage, size.open.picked, { silentAfterMs: 30 * 60_000 })
      const open = await openWeight(stage, replicas, size.open, say)
      return { open, crowded: await crowded(stage, replicas[0], size.crowded, say) }
    })),
    waking: await FleetStage.within((stage) => waking(stage, size.waking, seed, say)),
  }
  const problems = problemsIn(all, form)
  for (const problem of problems) say(`not reached: ${problem}`)
  return { reached: problems.length === 0, figure: figureOf(all, size) }
}

/** Callers are told at once to come back, so that every step of a decision is a request of its own. */
async function aFleet(
  stage: FleetStage,
  people: number,
  settings: { silentAfterMs?: number },
): Promise<[Served, ...Served[]]> {
  const [first, ...others] = await stage.start(replicaCount, { holdMs: 0, ...settings })
  if (first === undefined) throw new Error('A fleet has at least one replica.')
  await stage.invite(first, people)
  return [first, ...others]
}

function problemsIn({ throughput, waking, open, crowded }: Measured, form: 'full' | 'quick'): string[] {
  const bar = bars[form]
  const [one = 0] = throughput.inbox
  const most = Math.max(...throughput.inbox)
  const last = throughput.inbox.at(-1) ?? 0
  const signalled = Math.max(waking.nats.p99Ms, waking.notify.p99Ms)
  // Had one replica asked all of them by itself; a few are too few to tell.
  const allInOneMb = form === 'quick' ? 0 : open.rssMb + (open.bytesEach * openGoal) / 2 ** 20
  const isHeldUp = crowded.p99Ms >= bar.p99MostMs && crowded.p99Ms >= bar.calmTimes * crowded.calmP99Ms
  return [
    ...(most / throughput.bare < bar.bareRatioLeast
      ? [`${(most / throughput.bare).toFixed(3)} of the bare database, at least ${bar.bareRatioLeast}`]
      : []),
    ...(last < bar.scalingLeast * one
      ? [`${replicaCount} replicas carry ${whole(last)}/s, one carries ${whole(one)}/s`]
      : []),
    ...(signalled > bar.signalMostMs
      ? [`woken by a signal after ${whole(signalled)} ms, at most ${bar.signalMostMs}`]
      : []),
    ...(open.rssMb >= bar.rssMostMb || allInOneMb >= bar.rssMostMb
      ? [`${whole(open.rssMb)} MB in a replica, ${whole(allInOneMb)} MB had it asked all, under ${bar.rssMostMb}`]
      : []),
    ...(open.bytesEach > bar.bytesEachMost ? [`an open ask weighs ${whole(open.bytesEach)} bytes`] : []),
    ...(open.sockets > 0 ? [`${open.sockets} sockets are held by asks`] : []),
    ...(isHeldUp ? [`p99 of decisions beside slow connections ${whole(crowded.p99Ms)} ms`] : []),
    ...(crowded.isComplete ? [] : ['the slow connections were not all there']),
  ]
}

function figureOf({ throughput, waking, open, crowded }: Measured, size: Sizes): string {
  const rates = (list: readonly number[]) => list.map(whole).join(', ')
  const ratio = (Math.max(...throughput.inbox) / throughput.bare).toFixed(2)
  return (
    `fleet: with 1, 2 and 3 replicas ${rates(throughput.client)} decisions/s answered by clients, ${rates(throughput.inbox)} in inboxes (${ratio} of the bare database); ` +
    `answered elsewhere, heard p50 in ${waking.nats.p50Ms.toFixed(1)} ms by NATS, ${waking.notify.p50Ms.toFixed(1)} by LISTEN/NOTIFY, ${whole(waking.poll.p50Ms)} by the poll alone; ` +
    `${whole(size.open.open)} open: at most ${whole(open.rssMb)} MB in a replica, ${whole(open.bytesEach)} bytes each, ${open.sockets} sockets; ` +
    `beside ${whole(size.crowded.slow)} slow connections p99 ${whole(crowded.p99Ms)} ms, without ${whole(crowded.calmP99Ms)}`
  )
}

function say(line: string): void {
  console.log(`fleet: ${line}`)
}
