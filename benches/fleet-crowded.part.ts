// Decisions at a replica that thousands of slow connections hang on, in turns with the same replica left alone.

import { Attackers } from '../proofs/load-attack.part.ts'
import type { Decided, DecisionWay } from './fleet-decide.part.ts'
import type { FleetStage } from './fleet-stage.part.ts'
import type { Served } from './relay-processes.part.ts'
import { quantile } from './store-figures.part.ts'

export interface CrowdedSize {
  readonly slow: number
  readonly turns: number
  readonly turnMs: number
}

export interface Crowded {
  readonly p99Ms: number
  readonly calmP99Ms: number
  /** Whether the slow ones were all there. */
  readonly isComplete: boolean
}

const ways: readonly DecisionWay[] = ['client', 'inbox']
/** They decide one after the other and do something else in between, as people do. */
const people = 4
const pauseMs = 20

export async function crowded(
  stage: FleetStage,
  { url }: Served,
  { slow, turns, turnMs }: CrowdedSize,
  say: (line: string) => void,
): Promise<Crowded> {
  const [calm, attacked]: [number[], number[]] = [[], []]
  const decide = async (into: number[]) => {
    for (const way of ways) {
      const command = { kind: 'decide', way, urls: [url], people, forMs: turnMs, pauseMs } as const
      into.push(...(await stage.do<Decided>(command)).lifeMs)
    }
  }
  let isComplete = true
  for (let turn = 0; turn < turns; turn++) {
    await decide(calm)
    const attackers = await Attackers.start(url, slow, 0)
    try {
      await decide(attacked)
      isComplete &&= attackers.isComplete
      say(`turn ${turn + 1} beside slow connections: ${attackers.told}`)
    } finally {
      await attackers.stop()
    }
  }
  const spread = (sample: readonly number[]) =>
    `p50 ${quantile(sample, 0.5).toFixed(1)} ms, p99 ${quantile(sample, 0.99).toFixed(1)} ms`
  say(`decisions beside them: ${spread(attacked)} (${attacked.length}); without them: ${spread(calm)} (${calm.length})`)
  return { p99Ms: quantile(attacked, 0.99), calmP99Ms: quantile(calm, 0.99), isComplete }
}
