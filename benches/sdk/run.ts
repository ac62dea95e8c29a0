// Measures the SDK: the cost of a call to a tool with two questions, with `assent.tool` and with `interactive`, compared
// with the same tool written by hand.
//
// All are timed in one run, in turns and in random order, because absolute figures depend on the machine and its load.
// The figure is the ratio between the fastest tenths of their turns: other load only adds to a turn.

import { type Goal, isMet, type Measurement } from '../../scripts/measurement.ts'
import { randomFrom } from '../relay/latency.ts'
import { quantile } from '../store/figures.ts'
import { type BenchServer, type Caller, callerFor, startServer } from './calls.ts'
import type { Generation, Spelling } from './tools.ts'

const generations: readonly Generation[] = ['2025-11-25', '2026-07-28']

const ways = ['tool', 'interactive'] as const
const spellings = [...ways, 'by hand'] as const
const names: Readonly<Record<Spelling, string>> = {
  tool: 'assent.tool',
  interactive: 'interactive',
  'by hand': 'by hand',
}

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
  const goals: Goal[] = []
  for (const generation of generations) {
    const ms = await measure(server, generation, size, random)
    const figuresOf = ways.map((way) => {
      const ratio = ms[way] / ms['by hand']
      goals.push({
        what: `a call with ${names[way]}, times the same by hand, ${generation}`,
        value: ratio,
        unit: '',
        most: size.ratioMost,
      })
      return `×${ratio.toFixed(2)} with ${names[way]}`
    })
    console.log(
      `sdk: ${generation}: ${spellings.map((way) => `${ms[way].toFixed(3)} ms ${names[way]}`).join(', ')} per call (quietest tenth of ${size.turns} turns of ${size.callsPerTurn} calls)`,
    )
    figures.push(`${figuresOf.join(' and ')} on ${generation}`)
  }
  server.stop()
  const figure = `sdk: ${figures.join(', ')} of the same tool by hand; at most ×${size.ratioMost}`
  return { reached: goals.every(isMet), goals, figure }
}

async function measure(server: BenchServer, generation: Generation, size: Sizes, random: () => number) {
  const timed = await Promise.all(
    spellings.map(async (spelling) => ({
      spelling,
      caller: await callerFor(server, generation, spelling),
      turns: [] as number[],
    })),
  )
  try {
    for (const { caller } of timed) await turn(caller, size.warmCalls)
    for (let index = 0; index < size.turns; index++) {
      const order = timed.map((one) => ({ one, at: random() })).sort((a, b) => a.at - b.at)
      for (const { one } of order) one.turns.push(await turn(one.caller, size.callsPerTurn))
    }
    return Object.fromEntries(timed.map(({ spelling, turns }) => [spelling, quantile(turns, quietest)])) as Record<
      Spelling,
      number
    >
  } finally {
    await Promise.all(timed.map(({ caller }) => caller.close()))
  }
}

/** Milliseconds per call. */
async function turn(caller: Caller, calls: number): Promise<number> {
  const startedAt = performance.now()
  for (let index = 0; index < calls; index++) await caller.call()
  return (performance.now() - startedAt) / calls
}
