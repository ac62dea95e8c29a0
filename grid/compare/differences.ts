// Compares the notes taken without the gateway with those taken through it, step by step.
//
// A difference is an error unless it is listed with its reason. A listed difference that did not occur is an error too,
// so that the list stays exact.

import type { Generation } from '../messages.ts'
import { textOf } from './normal.ts'

/** What a client saw, by step. */
export type Notes = ReadonlyMap<string, unknown>

export interface Listed {
  /** Which case or which servers it is about. */
  readonly where: string
  readonly step: string
  /** Clients of both generations unless one is named. */
  readonly client?: Generation
  /** What the text of the gateway's side must contain, so that no other difference hides behind this one. */
  readonly gateway: string
  readonly reason: string
}

export interface Difference {
  readonly where: string
  readonly client: Generation
  readonly step: string
  readonly direct: string
  readonly gateway: string
}

export interface Verdict {
  readonly where: string
  readonly client: Generation
  readonly steps: number
  readonly unexplained: readonly Difference[]
  readonly listed: readonly Listed[]
  /** Entries that were not needed. */
  readonly unused: readonly Listed[]
}

/** @param list the entries that are about these notes */
export function compare(
  at: { readonly where: string; readonly client: Generation },
  direct: Notes,
  gateway: Notes,
  list: readonly Listed[],
): Verdict {
  const entries = list.filter((entry) => entry.client === undefined || entry.client === at.client)
  const steps = [...new Set([...direct.keys(), ...gateway.keys()])]
  const differences = steps.flatMap((step): Difference[] => {
    const [without, through] = [textOf(direct.get(step)), textOf(gateway.get(step))]
    return without === through ? [] : [{ ...at, step, direct: without, gateway: through }]
  })
  const explained = differences.map((difference) => entries.find((entry) => explains(entry, difference)))
  return {
    ...at,
    steps: steps.length,
    unexplained: differences.filter((_difference, index) => explained[index] === undefined),
    listed: explained.flatMap((entry) => entry ?? []),
    unused: entries.filter((entry) => !explained.includes(entry)),
  }
}

function explains(entry: Listed, { step, gateway }: Difference): boolean {
  return entry.step === step && gateway.includes(entry.gateway)
}

/** Entries for what was compared and differed nowhere. */
export function stale(verdicts: readonly Verdict[]): Listed[] {
  const needed = new Set(verdicts.flatMap(({ listed }) => listed))
  return [...new Set(verdicts.flatMap(({ unused }) => unused))].filter((entry) => !needed.has(entry))
}

const longest = 600

export function differenceText({ where, client, step, direct, gateway }: Difference): string {
  const cut = (text: string) => (text.length > longest ? `${text.slice(0, longest)}… (${text.length})` : text)
  return `✗ ${where} · ${client} client · ${step}\n    direct  ${cut(direct)}\n    gateway ${cut(gateway)}`
}
