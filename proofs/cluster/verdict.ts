// Prints the result of a cluster run: the faults that were found, and whether the judge found the planted ones.

import { type Fault, judge } from './judge.ts'
import { findPlanted, nothingToPlantIn } from './planted.ts'
import type { ClusterRun, Disruption } from './run-cluster.ts'

export interface Judged {
  readonly faults: readonly Fault[]
  /** Planted faults that were not found. */
  readonly missed: readonly string[]
  readonly plantedFaults: string
}

/** Prints the result. A short run may offer no opportunity for some planted faults; every fault that was planted must be
 * found. */
export function judged({ evidence, kept, gateways }: ClusterRun<Disruption>, name: string, quick: boolean): Judged {
  const say = (text: string) => console.log(`${name}: ${text}`)
  const faults = judge(evidence, kept)
  const planted = findPlanted({ evidence, kept })
  const ends = countOf([...evidence.calls.values()].map(({ end }) => end?.kind ?? 'none'))
  const states = countOf(kept.asks.map(({ state, because }) => (because === null ? state : `${state} (${because})`)))
  const acknowledged = evidence.inboxAnswers.filter(({ status }) => status === 200).length
  const strangers = evidence.inboxAnswers.filter(({ isStranger }) => isStranger).length
  say(`calls ended: ${words(ends)}; effects ${evidence.effects.length}`)
  say(`stored asks ${kept.asks.length}: ${words(states)}; audit entries ${kept.audit.length}`)
  say(
    `${acknowledged} decisions acknowledged in inboxes, ${evidence.clientAnswers.length} by clients, ${strangers} attempts by strangers`,
  )
  say(`a 2026-07-28 server got ${evidence.repeated} answers again after a broken connection, and ignored them`)
  for (const { invariant, what } of faults.slice(0, 20)) say(`FAULT ${invariant}: ${what}`)
  const missed = planted.missed.filter((one) => !quick || !one.endsWith(nothingToPlantIn))
  for (const one of missed) say(`planted and not found: ${one}`)
  if (faults.length > 0) for (const text of gateways.errors.slice(-3)) say(`stderr of a replica: ${text}`)
  return { faults, missed, plantedFaults: `${planted.found}/${planted.planted} planted faults found` }
}

function countOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

export function words(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
}
