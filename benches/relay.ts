// Measures the relay: what the gateway adds to one question on its way, and what open and past questions weigh in it.
//
// The measure of a hop is another hop: a bare proxy that passes bytes on and understands nothing, timed in the same run
// and in turns with the gateway, because absolute figures belong to one machine. With ASSENT_BENCH_PLOT=1 the full form
// keeps its medians as a picture in docs/.

import type { Measurement } from '../scripts/measurement.ts'
import { type HopBars, hopFigure, hopProblems, hops } from './relay-hops.part.ts'
import { randomFrom, takeTurn, type Way } from './relay-latency.part.ts'
import { installPeers, peerWays } from './relay-peers.part.ts'
import { drawPlot } from './relay-plot.part.ts'
import { Processes } from './relay-processes.part.ts'
import { type TripSizes, travelAll } from './relay-trips.part.ts'
import { ownWays, type Stage, seatsOfPeers, startStage } from './relay-ways.part.ts'
import { type WeightBars, type WeightSizes, weighAll, weightFigure, weightProblems } from './relay-weights.part.ts'
import { generations } from './relay-words.part.ts'

/** Quick runs beside other work on two shared cores: its bars find a broken relay, not a slower one. */
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
    // On each of two gateways, so 100,000 in all. The time is for a machine that is busy with something else: a calm one
    // needs a quarter of it.
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

export const run: Measurement = ({ quick, seed }) =>
  Processes.within(async (processes) => {
    const form = quick ? 'quick' : 'full'
    if (quick)
      say(`quick form, without peers and with looser bars: ${inWords(bars.quick)} (full: ${inWords(bars.full)})`)
    const stages: Stage[] = []
    for (const generation of generations) stages.push(await startStage(processes, generation))
    const own = stages.flatMap(ownWays)
    const peers = quick ? [] : await peersOf(processes, stages)
    const seats = peers.length === 0 ? [] : await Promise.all(stages.map((stage) => seatsOfPeers(processes, stage)))
    const ways = { alone: [...own, ...seats.flat(), ...peers], crowd: [...own, ...peers] }

    const { sequential, paced } = await travelAll(stages, ways, sizes[form], randomFrom(seed), say)
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
    if (late.length > 0) await sayLimit(stages)
    return {
      reached: problems.length === 0,
      figure: `relay: ${alone.map(hopFigure).join(', ')}; ${weightFigure(weights, bars[form])}`,
    }
  })

async function peersOf(processes: Processes, stages: readonly Stage[]): Promise<Way[]> {
  const problem = await installPeers(processes.folder)
  if (problem !== undefined) {
    say(`the peers could not be installed and are left out: ${problem}`)
    return []
  }
  const ways: Way[] = []
  for (const { generation, server } of stages) {
    const leftOut = (name: string, reason: string) => say(`${name} does not carry ${generation}: ${reason}`)
    ways.push(...(await peerWays(processes, generation, server, leftOut)))
  }
  return ways
}

/** Where the gateway spends its own time, for whoever has to make it faster. */
async function sayLimit(stages: readonly Stage[]): Promise<void> {
  for (const stage of stages) {
    const way = ownWays(stage).find(({ name }) => name === 'gateway')
    if (way === undefined) continue
    const line = await way.open()
    await stage.gateway.ask('profile')
    await takeTurn([line], { tripsPerTurn: 2_000, turnMs: 3_000 }, () => 0)
    const { lines } = await stage.gateway.ask<{ lines: string[] }>('profiled')
    line.close()
    say(`what limits ${stage.generation}: ${lines.join('; ')}`)
  }
}

function inWords({ ratioMost, addsMostMs }: HopBars): string {
  return `×${ratioMost} of a bare proxy, under ${addsMostMs} ms`
}

function say(line: string): void {
  console.log(`relay: ${line}`)
}
