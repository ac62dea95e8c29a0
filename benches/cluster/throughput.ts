// Decisions per second of one, two and three replicas, in turns with the bare database.

import type { Served } from '../relay/processes.ts'
import { median, quantile, whole } from '../store/figures.ts'
import { livesByPgbench } from './bare.ts'
import { type Spent, spentBetween, spentInWords, spentSoFar, together } from './cpu.ts'
import type { Decided, DecisionWay } from './decide.ts'
import type { ClusterEnv } from './test-env.ts'

export interface ThroughputSize {
  readonly turns: number
  readonly turnMs: number
  readonly people: number
}

export interface Throughput {
  /** Decisions per second by number of replicas, the first for one. */
  readonly client: readonly number[]
  readonly inbox: readonly number[]
  readonly bare: number
}

interface Turn extends Decided {
  readonly spent: Spent
}

const ways: readonly DecisionWay[] = ['client', 'inbox']
const bareClients = 8

export async function throughput(
  testEnv: ClusterEnv,
  replicas: readonly Served[],
  size: ThroughputSize,
  say: (line: string) => void,
): Promise<Throughput> {
  const { people, turnMs } = size
  const decide = async (way: DecisionWay, count: number): Promise<Turn> => {
    const urls = replicas.slice(0, count).map(({ url }) => url)
    const before = await spentSoFar(testEnv, replicas)
    const decided = await testEnv.do<Decided>({ kind: 'decide', way, urls, people, forMs: turnMs })
    return { ...decided, spent: spentBetween(before, await spentSoFar(testEnv, replicas)) }
  }
  // Warm-up until frequently used code is optimized in all processes.
  for (const way of ways) await decide(way, replicas.length)

  const turns = new Map<string, Turn[]>()
  const bare: number[] = []
  const runBareTurn = await bareTurns(testEnv, turnMs)
  for (let turn = 0; turn < size.turns; turn++) {
    for (const way of ways) {
      for (let count = 1; count <= replicas.length; count++) {
        const key = keyOf(way, count)
        turns.set(key, [...(turns.get(key) ?? []), await decide(way, count)])
      }
    }
    bare.push(await runBareTurn())
  }

  const bareRate = median(bare)
  say(`the bare database, pgbench with ${bareClients} clients: ${whole(bareRate)} asks raised and settled per second`)
  const rates = (way: DecisionWay) =>
    replicas.map((_, index) => printTurns(way, index + 1, turns.get(keyOf(way, index + 1)) ?? [], bareRate, say))
  return { client: rates('client'), inbox: rates('inbox'), bare: bareRate }
}

function keyOf(way: DecisionWay, count: number): string {
  return `${way} ${count}`
}

function printTurns(
  way: DecisionWay,
  replicas: number,
  turns: readonly Turn[],
  bareRate: number,
  say: (line: string) => void,
): number {
  const rate = median(turns.map(({ count, tookMs }) => (1_000 * count) / tookMs))
  const durations = turns.flatMap(({ lifeMs }) => lifeMs)
  const total = (of: (turn: Turn) => number) => turns.reduce((sum, turn) => sum + of(turn), 0)
  const spent = together(turns.map((turn) => turn.spent))
  const who = way === 'client' ? 'answered by the client' : 'answered in the inbox'
  say(
    `${who}, ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}: ${whole(rate)} decisions/s (${(rate / bareRate).toFixed(2)} of the bare database), p50 ${quantile(durations, 0.5).toFixed(0)} ms, p99 ${quantile(durations, 0.99).toFixed(0)} ms`,
  )
  say(
    `  each costs ${spentInWords(
      spent,
      durations.length,
      total(({ tookMs }) => tookMs),
    )}`,
  )
  return rate
}

/** Turns of about the same length with pgbench, each with its own asks. */
async function bareTurns({ testDb }: ClusterEnv, turnMs: number): Promise<() => Promise<number>> {
  let from = 0
  const take = async (each: number) => {
    const rate = await livesByPgbench(testDb, { from, clients: bareClients, each })
    from += bareClients * each
    return rate
  }
  const each = Math.max(1, Math.round(((await take(50)) * turnMs) / 1_000 / bareClients))
  return () => take(each)
}
