// The three ways a question is timed: one after the other, from a hundred people with pauses, and from a hundred at once.
//
// With pauses the machine keeps up, so what is seen is the hop. Without them every core is busy, and the time is a
// queue's: what is seen is how many questions a second pass.

import { sayTimings } from './relay-hops.part.ts'
import { closeWays, openWays, type Timing, type Turns, timings, type Way } from './relay-latency.part.ts'
import type { Stage } from './relay-ways.part.ts'
import { whole } from './store-figures.part.ts'

export interface TripSizes {
  readonly sequential: Turns
  readonly sessions: number
  /** Not in the quick form: it takes time, and a short turn cannot tell a hop from a neighbour's work. */
  readonly paced?: Turns
  readonly busy: Turns
}

export interface Trips {
  readonly sequential: Timing[]
  readonly paced: Timing[]
  readonly busy: Timing[]
}

export async function travelAll(
  stages: readonly Stage[],
  { alone: lonely, crowd }: { readonly alone: readonly Way[]; readonly crowd: readonly Way[] },
  { sequential, sessions, paced, busy }: TripSizes,
  random: () => number,
  say: (line: string) => void,
): Promise<Trips> {
  const leftOut = ({ name, generation }: Way, error: unknown) => {
    say(`${name} is left out of ${generation}: ${error instanceof Error ? error.message : String(error)}`)
  }
  const measure = async (
    title: string,
    ways: readonly Way[],
    count: number,
    kinds: readonly Turns[],
  ): Promise<Timing[][]> => {
    const opened = await openWays(ways, count, leftOut)
    const all: Timing[][] = []
    for (const turns of kinds) all.push(await timings(opened, turns, random, leftOut))
    closeWays(opened)
    all.forEach((one, index) => {
      sayTimings(
        index === 0 ? title : `${count} sessions, with ${kinds[index]?.pauseMs} ms between their calls`,
        one,
        say,
      )
    })
    return all
  }

  const before = await processorUs(stages)
  const [alone = []] = await measure('one after the other', lonely, 1, [sequential])
  sayProcessor(stages, before, await processorUs(stages), alone, say)
  const kinds = paced === undefined ? [busy] : [busy, paced]
  const [many = [], some = []] = await measure(`${sessions} sessions at once, without pauses`, crowd, sessions, kinds)
  return { sequential: alone, paced: some, busy: many }
}

interface Processor {
  readonly proxyUs: number
  readonly gatewayUs: number
}

async function processorUs(stages: readonly Stage[]): Promise<Processor[]> {
  const spent = stages.map(async ({ proxy, gateway }) => ({
    proxyUs: (await proxy.ask<{ cpuUs: number }>('cpu')).cpuUs,
    gatewayUs: (await gateway.ask<{ cpuUs: number }>('cpu')).cpuUs,
  }))
  return Promise.all(spent)
}

/** Reported, not judged: of all figures the one that a busy machine disturbs least. */
function sayProcessor(
  stages: readonly Stage[],
  before: readonly Processor[],
  after: readonly Processor[],
  sample: readonly Timing[],
  say: (line: string) => void,
): void {
  stages.forEach(({ generation }, index) => {
    const tripsOf = (name: string) =>
      sample.find(({ way }) => way.generation === generation && way.name === name)?.trips ?? 1
    const spent = (kind: keyof Processor) => (after[index]?.[kind] ?? 0) - (before[index]?.[kind] ?? 0)
    const proxyUs = spent('proxyUs') / tripsOf('bare proxy')
    const gatewayUs = spent('gatewayUs') / tripsOf('gateway')
    const ratio = (gatewayUs / proxyUs).toFixed(1)
    say(
      `${generation}: processor time per question: proxy ${whole(proxyUs)} µs, gateway ${whole(gatewayUs)} µs (×${ratio})`,
    )
  })
}
