// How many decisions a second one, two and three replicas carry, in turns with the bare database.

import { bareTenant, livesByPgbench } from './fleet-bare.part.ts'
import { type Spent, spentBetween, spentInWords, spentSoFar, together } from './fleet-cpu.part.ts'
import type { Decided, DecisionWay } from './fleet-decide.part.ts'
import type { FleetStage } from './fleet-stage.part.ts'
import type { Served } from './relay-processes.part.ts'
import { median, quantile, whole } from './store-figures.part.ts'

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
  stage: FleetStage,
  replicas: readonly Served[],
  size: ThroughputSize,
  say: (line: string) => void,
): Promise<Throughput> {
  const { people, turnMs } = size
  const decide = async (way: DecisionWay, count: number): Promise<Turn> => {
    const urls = replicas.slice(0, count).map(({ url }) => url)
    const before = await spentSoFar(stage, replicas)
    const decided = await stage.do<Decided>({ kind: 'decide', way, urls, people, forMs: turnMs })
    return { ...decided, spent: spentBetween(before, await spentSoFar(stage, replicas)) }
  }
  // Until code that runs often is compiled as it will be, everywhere.
  for (const way of ways) await decide(way, replicas.length)

  const turns = new Map<string, Turn[]>()
  const bare: number[] = []
  const lives = await bareLives(stage, turnMs)
  for (let turn = 0; turn < size.turns; turn++) {
    for (const way of ways) {
      for (let count = 1; count <= replicas.length; count++) {
        const key = keyOf(way, count)
        turns.set(key, [...(turns.get(key) ?? []), await decide(way, count)])
      }
    }
    bare.push(await lives())
  }

  const bareRate = median(bare)
  say(`the bare database, pgbench with ${bareClients} clients: ${whole(bareRate)} asks raised and settled per second`)
  const rates = (way: DecisionWay) =>
    replicas.map((_, index) => tell(way, index + 1, turns.get(keyOf(way, index + 1)) ?? [], bareRate, say))
  return { client: rates('client'), inbox: rates('inbox'), bare: bareRate }
}

function keyOf(way: DecisionWay, count: number): string {
  return `${way} ${count}`
}

function tell(
  way: DecisionWay,
  replicas: number,
  turns: readonly Turn[],
  bareRate: number,
  say: (line: string) => void,
): number {
  const rate = median(turns.map(({ count, tookMs }) => (1_000 * count) / tookMs))
  const lives = turns.flatMap(({ lifeMs }) => lifeMs)
  const total = (of: (turn: Turn) => number) => turns.reduce((sum, turn) => sum + of(turn), 0)
  const spent = together(turns.map((turn) => turn.spent))
  const who = way === 'client' ? 'answered by the client' : 'answered in the inbox'
  say(
    `${who}, ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}: ${whole(rate)} decisions/s (${(rate / bareRate).toFixed(2)} of the bare database), p50 ${quantile(lives, 0.5).toFixed(0)} ms, p99 ${quantile(lives, 0.99).toFixed(0)} ms`,
  )
  say(
    `  each costs ${spentInWords(
      spent,
      lives.length,
      total(({ tookMs }) => tookMs),
    )}`,
  )
  return rate
}

/** Turns of about as long by pgbench, each over asks of its own. */
async function bareLives({ place }: FleetStage, turnMs: number): Promise<() => Promise<number>> {
  const store = await place.open(1)
  await store.audit.begin(bareTenant)
  let from = 0
  const take = async (each: number) => {
    const rate = await livesByPgbench(place, { from, clients: bareClients, each })
    from += bareClients * each
    return rate
  }
  const each = Math.max(1, Math.round(((await take(50)) * turnMs) / 1_000 / bareClients))
  return () => take(each)
}
