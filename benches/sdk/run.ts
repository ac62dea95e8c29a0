// Measures the SDK: the cost of a call to a tool with two questions, compared with the same tool written by hand.
//
// Both are timed in one run, in turns and in random order, because absolute figures depend on the machine and its load.
// The figure is the ratio between the fastest tenths of their turns: other load only adds to a turn.

import type { Measurement } from '../../scripts/measurement.ts'
import { randomFrom } from '../relay/latency.ts'
import { quantile } from '../store/figures.ts'
import { type BenchServer, type Caller, callerFor, startServer } from './calls.ts'
import type { Generation } from './tools.ts'

const generations: readonly Generation[] = ['2025-11-25', '2026-07-28']

const quietest = 0.1

interface Sizes {
  readonly turns: number
  readonly callsPerTurn: number
  readonly warmCalls: number
  readonly ratioMost: number
}

/** The quick form runs on a busy machine: its limit finds a broken SDK, not a slower one. */
const sizes: Record<'full' | 'quick', Sizes> = {
  full: { turns: 200, callsPerTurn: 15, warmCalls: 1_000, ratioMost: 1.25 },
  quick: { turns: 24, callsPerTurn: 8, warmCalls: 100, ratioMost: 3 },
}

export const run: Measurement = async ({ quick, seed }) => {
  const size = sizes[quick ? 'quick' : 'full']
  const random = randomFrom(seed)
  const figures: string[] = []
  const server = await startServer()
  let reached = true
  for (const generation of generations) {
    const { sdkMs, handMs } = await measure(server, generation, size, random)
    const ratio = sdkMs / handMs
    console.log(
      `sdk: ${generation}: ${sdkMs.toFixed(3)} ms per call with the sdk, ${handMs.toFixed(3)} ms by hand (quietest tenth of ${size.turns} turns of ${size.callsPerTurn} calls)`,
    )
    if (!(ratio <= size.ratioMost)) reached = false
    figures.push(`×${ratio.toFixed(2)} on ${generation}`)
  }
  server.stop()
  return { reached, figure: `sdk: ${figures.join(', ')} of the same tool by hand; at most ×${size.ratioMost}` }
}

async function measure(server: BenchServer, generation: Generation, size: Sizes, random: () => number) {
  const sdk = await callerFor(server, generation, 'sdk')
  const hand = await callerFor(server, generation, 'by hand')
  try {
    for (const caller of [sdk, hand]) await turn(caller, size.warmCalls)
    const sdkTurns: number[] = []
    const handTurns: number[] = []
    for (let index = 0; index < size.turns; index++) {
      const sdkFirst = random() < 0.5
      if (sdkFirst) sdkTurns.push(await turn(sdk, size.callsPerTurn))
      handTurns.push(await turn(hand, size.callsPerTurn))
      if (!sdkFirst) sdkTurns.push(await turn(sdk, size.callsPerTurn))
    }
    return { sdkMs: quantile(sdkTurns, quietest), handMs: quantile(handTurns, quietest) }
  } finally {
    await Promise.all([sdk.close(), hand.close()])
  }
}

/** Milliseconds per call. */
async function turn(caller: Caller, calls: number): Promise<number> {
  const startedAt = performance.now()
  for (let index = 0; index < calls; index++) await caller.call()
  return (performance.now() - startedAt) / calls
}
