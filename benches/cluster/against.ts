// Whether this checkout's replicas make fewer decisions per second than those of another one, both measured in turns in the same
// run, each on its own schema.
//
// Each replica runs its own checkout's program (benches/cluster/replica.ts), so neither depends on the other's options or
// migrations. The callers and people are those of this checkout.

import { resolve } from 'node:path'
import type { Verdict } from '../../scripts/measurement.ts'
import { median, whole } from '../store/figures.ts'
import type { Decided, DecisionWay } from './decide.ts'
import { ClusterEnv } from './test-env.ts'

export interface AgainstSize {
  readonly turns: number
  readonly turnMs: number
  readonly people: number
}

/** Two clusters that run the same code differ by up to this much. */
const ratioLeast = 0.93
const ways: readonly DecisionWay[] = ['client', 'inbox']

export function compareClusters(
  against: string,
  count: number,
  size: AgainstSize,
  say: (line: string) => void,
): Promise<Verdict> {
  return ClusterEnv.within((here) =>
    ClusterEnv.within(async (there) => {
      const turnsHere = await startTurns(here, count, size)
      const turnsThere = await startTurns(there, count, size, resolve(against))
      const ratios = { client: [] as number[], inbox: [] as number[] }
      const rates = { here: [] as number[], there: [] as number[] }
      for (let turn = 0; turn < 2 * size.turns; turn++) {
        for (const way of ways) {
          const both = { here: 0, there: 0 }
          for (const which of turn % 2 === 0 ? (['here', 'there'] as const) : (['there', 'here'] as const))
            both[which] = await (which === 'here' ? turnsHere : turnsThere)(way)
          ratios[way].push(both.here / both.there)
          rates.here.push(both.here)
          rates.there.push(both.there)
        }
      }
      const figures = ways.map((way) => `${inWords(way)} ×${median(ratios[way]).toFixed(2)}`)
      say(`decisions/s, this and the other checkout: ${whole(median(rates.here))} and ${whole(median(rates.there))}`)
      return {
        reached: ways.every((way) => median(ratios[way]) >= ratioLeast),
        figure: `cluster, ${count} replicas, decisions/s of this checkout by those of the other (≥ ×${ratioLeast}): ${figures.join(', ')}`,
      }
    }),
  )
}

/** Starts replicas and warms them up. Each turn returns the decisions per second. */
async function startTurns(
  testEnv: ClusterEnv,
  count: number,
  { people, turnMs }: AgainstSize,
  program?: string,
): Promise<(way: DecisionWay) => Promise<number>> {
  const replicas = await testEnv.start(count, { holdMs: 0 }, program)
  const [first] = replicas
  if (first === undefined) throw new Error('A cluster has at least one replica.')
  await testEnv.invite(first, people)
  const urls = replicas.map(({ url }) => url)
  const take = async (way: DecisionWay) => {
    const decided = await testEnv.do<Decided>({ kind: 'decide', way, urls, people, forMs: turnMs })
    return (1_000 * decided.count) / decided.tookMs
  }
  for (const way of ways) await take(way)
  return take
}

function inWords(way: DecisionWay): string {
  return way === 'client' ? 'answered by clients' : 'answered in inboxes'
}
