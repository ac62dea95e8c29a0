// What a fleet's life came to, in words: the faults that were found, and whether the judge was awake.

import { type Fault, judge } from './fleet-judge.part.ts'
import type { Trouble, World } from './fleet-life.part.ts'
import { findPlanted, nothingToPlantIn } from './fleet-planted.part.ts'

export interface Judged {
  readonly faults: readonly Fault[]
  /** Lies that were planted and not found. */
  readonly missed: readonly string[]
  readonly lies: string
}

/** Says what happened and what was found. A short run may hold nothing to put a lie into; one that was put in is found in every run. */
export function judged({ evidence, kept, fleet }: World<Trouble>, name: string, quick: boolean): Judged {
  const say = (text: string) => console.log(`${name}: ${text}`)
  const faults = judge(evidence, kept)
  const planted = findPlanted({ evidence, kept })
  const ends = countOf([...evidence.calls.values()].map(({ end }) => end?.kind ?? 'none'))
  const states = countOf(kept.asks.map(({ state, because }) => (because === null ? state : `${state} (${because})`)))
  const acknowledged = evidence.inboxAnswers.filter(({ status }) => status === 200).length
  const strangers = evidence.inboxAnswers.filter(({ isStranger }) => isStranger).length
  say(`calls ended: ${words(ends)}; effects ${evidence.effects.length}`)
  say(`asks on record ${kept.asks.length}: ${words(states)}; audit entries ${kept.audit.length}`)
  say(
    `${acknowledged} decisions acknowledged in inboxes, ${evidence.clientAnswers.length} by clients, ${strangers} attempts by strangers`,
  )
  say(`a 2026-07-28 server got ${evidence.repeated} answers again, after a broken connection, and did nothing twice`)
  for (const { invariant, what } of faults.slice(0, 20)) say(`FAULT ${invariant}: ${what}`)
  const missed = planted.missed.filter((one) => !quick || !one.endsWith(nothingToPlantIn))
  for (const one of missed) say(`planted and not found: ${one}`)
  if (faults.length > 0) for (const text of fleet.errors.slice(-3)) say(`a replica said: ${text}`)
  return { faults, missed, lies: `${planted.found}/${planted.planted} planted lies found` }
}

function countOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

export function words(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
}
