// Measures the relay: the time that the gateway adds to one question, and the memory of open and past questions.
//
// The gateway is compared with a bare proxy that forwards bytes without parsing them, in the same run and in turns, because
// absolute figures depend on the machine. With ASSENT_BENCH_PLOT=1 the full form writes its medians as a plot to docs/. With
// `--against <gateway program of another checkout>` it only measures whether this checkout is slower than that one.

import type { Measurement } from '../../scripts/measurement.ts'
import { compareCheckouts } from './against.ts'
import { type HopBars, hopFigure, hopGoals, hopProblems, hops } from './hops.ts'
import { randomFrom, takeTurn, type Way } from './latency.ts'
import { installPeers, peerWays } from './peers.ts'
import { drawPlot } from './plot.ts'
import { Processes } from './processes.ts'
import { type TripSizes, travelAll } from './trips.ts'
import { ownWays, type RelayEnv, seatsOfPeers, startRelayEnv } from './ways.ts'
import { type WeightBars, type WeightSizes, weighAll, weightFigure, weightProblems } from './weights.ts'
import { generations } from './words.ts'

/** The quick form runs on a busy machine: its limits find a broken relay, not a slower one. */
const bars: Record<'full' | 'quick', HopBars & WeightBars> = {
  full: { ratioMost: 2, addsMostMs: 1, openMostMb: 50, heldMostMb: 200, growthMostMb: 3 },
  quick: { ratioMost: 12, addsMostMs: 150, openMostMb: 50, heldMostMb: 100, growthMostMb: 3 },
}

const sizes: Record<'full' | 'quick', TripSizes & WeightSizes> = {
  full: {
    sequential: { turns: 15, tripsPerTurn: 200, turnMs: 600, warmTrips: 4_000, warmMs: 5_000 },
    sessions: 100,
    paced: { turns: 3, tripsPerTurn: 400, turnMs: 2_000, pauseMs: 500, warmTrips: 400, warmMs: 1_500 },
    busy: { turns: 3, tripsPerTurn: 1_000, turnMs: 1_500, warmTrips: 200, warmMs: 500 },
    open: 10_000,
    held: 2_000,
    // On each of two gateways, so 100,000 in total. The time limit is for a busy machine; an idle one needs a quarter of it.
    growthTrips: 50_000,
    growthMs: 240_000,
  },
  quick: {
    sequential: { turns: 4, tripsPerTurn: 50, turnMs: 400, warmTrips: 400, warmMs: 600 },
    sessions: 100,
    busy: { turns: 1, tripsPerTurn: 200, turnMs: 400, warmTrips: 100, warmMs: 100 },
    open: 500,
    held: 100,
    growthTrips: 2_500,
    growthMs: 3_000,
  },
}

export const run: Measurement = ({ quick, seed, against }) =>
  Processes.within(async (processes) => {
    const form = quick ? 'quick' : 'full'
    if (against !== undefined) return compareCheckouts(processes, against, sizes[form].sequential, seed, say)
    if (quick)
      say(`quick form, without peers and with looser limits: ${inWords(bars.quick)} (full: ${inWords(bars.full)})`)
    const envs: RelayEnv[] = []
    for (const generation of generations) envs.push(await startRelayEnv(processes, generation))
    const own = envs.flatMap(ownWays)
    const peers = quick ? [] : await peersOf(processes, envs)
    const seats = peers.length === 0 ? [] : await Promise.all(envs.map((env) => seatsOfPeers(processes, env)))
    const ways = { alone: [...own, ...seats.flat(), ...peers], crowd: [...own, ...peers] }

    const { sequential, paced } = await travelAll(envs, ways, sizes[form], randomFrom(seed), say)
    const weights = await weighAll(processes, sizes[form], say)
    if (!quick && process.env.ASSENT_BENCH_PLOT === '1')
      await drawPlot(sequential, `Node ${process.versions.node}, loopback.`)

    const alone = hops(sequential)
    const late = [
      ...hopProblems('one after the other', alone, bars[form]),
      ...(paced.length === 0 ? [] : hopProblems('with many sessions', hops(paced), bars[form])),
    ]
    const problems = [...late, ...weightProblems(weights, bars[form])]
    for (const problem of problems) say(`not reached: ${problem}`)
    if (late.length > 0) await sayLimit(envs)
    return {
      reached: problems.length === 0,
      goals: [
        ...hopGoals('one after the other', alone, bars[form]),
        ...(paced.length === 0 ? [] : hopGoals('with many sessions', hops(paced), bars[form])),
      ],
      figure: `relay: ${alone.map(hopFigure).join(', ')}; ${weightFigure(weights, bars[form])}`,
    }
  })

async function peersOf(processes: Processes, envs: readonly RelayEnv[]): Promise<Way[]> {
  const problem = await installPeers(processes.folder)
  if (problem !== undefined) {
    say(`the peers could not be installed and are left out: ${problem}`)
    return []
  }
  const ways: Way[] = []
  for (const { generation, server } of envs) {
    const leftOut = (name: string, reason: string) => say(`${name} does not support ${generation}: ${reason}`)
    ways.push(...(await peerWays(processes, generation, server, leftOut)))
  }
  return ways
}

/** Prints where the gateway spends its time. */
async function sayLimit(envs: readonly RelayEnv[]): Promise<void> {
  for (const env of envs) {
    const way = ownWays(env).find(({ name }) => name === 'gateway')
    if (way === undefined) continue
    const line = await way.open()
    await env.gateway.ask('profile')
    await takeTurn([line], { tripsPerTurn: 2_000, turnMs: 3_000 }, () => 0)
    const { lines } = await env.gateway.ask<{ lines: string[] }>('profiled')
    line.close()
    say(`where the gateway spends its time with ${env.generation}: ${lines.join('; ')}`)
  }
}

function inWords({ ratioMost, addsMostMs }: HopBars): string {
  return `×${ratioMost} of a bare proxy, under ${addsMostMs} ms`
}

function say(line: string): void {
  console.log(`relay: ${line}`)
}
