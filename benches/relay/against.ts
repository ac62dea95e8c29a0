// Whether this checkout's gateway is slower than that of another one, both measured in turns in the same run.
//
// Each gateway runs its own checkout's program file, so neither depends on the other's options.
// Other load on the machine affects both equally. The median time of a question decides; the processor time is only
// reported, because it differs by up to 5 % between two gateways that run the same code.

import { resolve } from 'node:path'
import type { Verdict } from '../../scripts/measurement.ts'
import { whole } from '../store/figures.ts'
import { closeWays, openWays, randomFrom, type Timing, type Turns, timings } from './latency.ts'
import type { Processes, Served } from './processes.ts'
import { httpWay, type RelayEnv, startOtherGateway, startRelayEnv } from './ways.ts'
import { generations } from './words.ts'

/** A checkout may be slower than the other one by at most this much. */
const slowerAtMost = 1.02

export async function compareCheckouts(
  processes: Processes,
  against: string,
  turns: Turns,
  seed: number,
  say: (line: string) => void,
): Promise<Verdict> {
  const figures: string[] = []
  let reached = true
  for (const generation of generations) {
    const env = await startRelayEnv(processes, generation)
    const other = await startOtherGateway(processes, resolve(against), env)
    const { ms, processorUs } = await compared(env, other, { ...turns, turns: 2 * turns.turns }, seed)
    reached &&= ms.here / ms.there <= slowerAtMost
    const time = `${ms.here.toFixed(2)} ms, other ${ms.there.toFixed(2)} (×${(ms.here / ms.there).toFixed(2)})`
    const processor = `${whole(processorUs.here)} µs, other ${whole(processorUs.there)} (×${(processorUs.here / processorUs.there).toFixed(2)})`
    say(`${generation}: a question takes ${time}; processor time ${processor}`)
    figures.push(`${generation.slice(0, 4)} ${time}, processor ${processor}`)
    for (const served of [other, env.gateway, env.proxy, env.server]) await served.end()
  }
  return { reached, figure: `relay, this and the other checkout (≤ ×${slowerAtMost}): ${figures.join('; ')}` }
}

interface Pair {
  readonly here: number
  readonly there: number
}

async function compared(
  { generation, gateway }: RelayEnv,
  other: Served,
  turns: Turns,
  seed: number,
): Promise<{ ms: Pair; processorUs: Pair }> {
  const ways = [httpWay('here', generation, gateway.url), httpWay('there', generation, other.url)]
  const before = { here: await cpuUs(gateway), there: await cpuUs(other) }
  const fail = (_: unknown, error: unknown): never => {
    throw error
  }
  const opened = await openWays(ways, 1, fail)
  const [here, there] = (await timings(opened, turns, randomFrom(seed), fail)) as [Timing, Timing]
  closeWays(opened)
  return {
    ms: { here: here.medianMs, there: there.medianMs },
    processorUs: {
      here: ((await cpuUs(gateway)) - before.here) / here.trips,
      there: ((await cpuUs(other)) - before.there) / there.trips,
    },
  }
}

async function cpuUs(served: Served): Promise<number> {
  return (await served.ask<{ cpuUs: number }>('cpu')).cpuUs
}
