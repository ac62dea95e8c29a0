// Decisions at a replica with thousands of slow connections, in turns with the same replica without them.

import { Attackers } from '../../proofs/load/attack.ts'
import type { Served } from '../relay/processes.ts'
import { quantile } from '../store/figures.ts'
import type { Decided, DecisionWay } from './decide.ts'
import type { ClusterEnv } from './test-env.ts'

export interface CrowdedSize {
  readonly slow: number
  readonly turns: number
  readonly turnMs: number
}

export interface Crowded {
  readonly p99Ms: number
  readonly calmP99Ms: number
  /** Whether all slow connections were open. */
  readonly isComplete: boolean
}

const ways: readonly DecisionWay[] = ['client', 'inbox']
/** People decide one after the other, with pauses. */
const people = 4
const pauseMs = 20

export async function crowded(
  testEnv: ClusterEnv,
  { url }: Served,
  { slow, turns, turnMs }: CrowdedSize,
  say: (line: string) => void,
): Promise<Crowded> {
  const [calm, attacked]: [number[], number[]] = [[], []]
  const decide = async (into: number[]) => {
    for (const way of ways) {
      const command = { kind: 'decide', way, urls: [url], people, forMs: turnMs, pauseMs } as const
      into.push(...(await testEnv.do<Decided>(command)).lifeMs)
    }
  }
  let isComplete = true
  for (let turn = 0; turn < turns; turn++) {
    await decide(calm)
    const attackers = await Attackers.start(url, slow, 0)
    try {
      await decide(attacked)
      isComplete = (await attackers.isComplete()) && isComplete
      say(`turn ${turn + 1} with slow connections: ${attackers.summary}`)
    } finally {
      await attackers.stop()
    }
  }
  const spread = (sample: readonly number[]) =>
    `p50 ${quantile(sample, 0.5).toFixed(1)} ms, p99 ${quantile(sample, 0.99).toFixed(1)} ms`
  say(`decisions with them: ${spread(attacked)} (${attacked.length}); without them: ${spread(calm)} (${calm.length})`)
  return { p99Ms: quantile(attacked, 0.99), calmP99Ms: quantile(calm, 0.99), isComplete }
}
