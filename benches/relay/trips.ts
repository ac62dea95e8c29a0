// Times questions in three ways: one after the other, from a hundred people with pauses, and from a hundred at once.
//
// With pauses the machine is not saturated, so the time of the hop is measured. Without them every core is busy and
// requests queue: that measures the throughput.

import { whole } from '../store/figures.ts'
import { sayTimings } from './hops.ts'
import { closeWays, openWays, type Timing, type Turns, timings, type Way } from './latency.ts'
import type { RelayEnv } from './ways.ts'

export interface TripSizes {
  readonly sequential: Turns
  readonly sessions: number
  /** Not in the quick form: it takes long, and short turns are dominated by other load on the machine. */
  readonly paced?: Turns
  readonly busy: Turns
}

export interface Trips {
  readonly sequential: Timing[]
  readonly paced: Timing[]
  readonly busy: Timing[]
}

export async function travelAll(
  envs: readonly RelayEnv[],
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

  const before = await processorUs(envs)
  const [alone = []] = await measure('one after the other', lonely, 1, [sequential])
  sayProcessor(envs, before, await processorUs(envs), alone, say)
  const kinds = paced === undefined ? [busy] : [busy, paced]
  const [many = [], some = []] = await measure(`${sessions} sessions at once, without pauses`, crowd, sessions, kinds)
  return { sequential: alone, paced: some, busy: many }
}

interface Processor {
  readonly proxyUs: number
  readonly gatewayUs: number
}

async function processorUs(envs: readonly RelayEnv[]): Promise<Processor[]> {
  const spent = envs.map(async ({ proxy, gateway }) => ({
    proxyUs: (await proxy.ask<{ cpuUs: number }>('cpu')).cpuUs,
    gatewayUs: (await gateway.ask<{ cpuUs: number }>('cpu')).cpuUs,
  }))
  return Promise.all(spent)
}

/** Reported without a limit: the figure that other load on the machine affects least. */
function sayProcessor(
  envs: readonly RelayEnv[],
  before: readonly Processor[],
  after: readonly Processor[],
  sample: readonly Timing[],
  say: (line: string) => void,
): void {
  envs.forEach(({ generation }, index) => {
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
