// The terms of an ask, read from the annotations of a Cedar policy:
//
//   @ask("2 of release & security | directors") @exclude("requester") @within("30m")
//
// `|` separates alternatives, `&` the factors of one, and `2 of` is the number of approvals (1 without it). A name is a
// group of `groups:`, `requester`, `group:<name at the issuer>` or `person:<subject>`.

import type { ApprovalRequirement, Approver } from '@assent/core'
import { approversOf, isApprover, type PeopleNames, principalNamed } from './people-names.ts'

export interface AskTerms {
  readonly anyOf: readonly (readonly TermFactor[])[]
  readonly exclude: readonly string[]
  /** How many declines end the ask. */
  readonly declines: number
  readonly decideWithinMs?: number
  readonly useWithinMs?: number
  readonly needsPresence: boolean
  readonly needsReason: boolean
  readonly surfaces: readonly ('inbox' | 'client')[]
}

interface TermFactor {
  readonly from: readonly string[]
  readonly approvals: number
}

export type TermsRead =
  | { readonly ok: true; readonly terms: AskTerms }
  | { readonly ok: false; readonly annotation: string; readonly problem: string }

/** The annotations that belong to an ask. */
export const askAnnotations = [
  'ask',
  'exclude',
  'declines',
  'within',
  'use_within',
  'presence',
  'reason',
  'surfaces',
] as const

const factorPattern = /^(?:(?<count>[0-9]{1,3}) of )?(?<names>[^&|]+)$/

export function readAskTerms(annotations: Readonly<Record<string, string>>, groups: ReadonlySet<string>): TermsRead {
  const wrong = (annotation: string, problem: string): TermsRead => ({ ok: false, annotation, problem })
  const anyOf: TermFactor[][] = []
  for (const alternative of (annotations.ask ?? '').split('|')) {
    const factors: TermFactor[] = []
    for (const factor of alternative.split('&')) {
      const read = readFactor(factor.trim())
      if (read === undefined)
        return wrong('ask', 'Write names and counts, such as "2 of release & security | directors".')
      const unknown = read.from.find((name) => !isKnown(name, groups))
      if (unknown !== undefined) return wrong('ask', `There is no group ${JSON.stringify(unknown)} in groups.`)
      factors.push(read)
    }
    anyOf.push(factors)
  }
  const exclude = namesIn(annotations.exclude)
  for (const name of exclude) {
    if (name !== 'requester' && !name.startsWith('person:'))
      return wrong('exclude', 'Exclude requester or person:<subject>.')
  }
  const declines = Number(annotations.declines ?? 1)
  if (!Number.isSafeInteger(declines) || declines < 1) return wrong('declines', 'Write a whole number from 1.')
  const decideWithinMs = annotations.within === undefined ? undefined : durationOf(annotations.within)
  if (annotations.within !== undefined && decideWithinMs === undefined)
    return wrong('within', 'Write a duration such as 30m.')
  const useWithinMs = annotations.use_within === undefined ? undefined : durationOf(annotations.use_within)
  if (annotations.use_within !== undefined && useWithinMs === undefined) {
    return wrong('use_within', 'Write a duration such as 10m.')
  }
  for (const name of ['presence', 'reason'] as const) {
    if (annotations[name] !== undefined && annotations[name] !== 'required') return wrong(name, 'Write required.')
  }
  const surfaces = annotations.surfaces === undefined ? ['inbox'] : namesIn(annotations.surfaces)
  if (surfaces.length === 0 || surfaces.some((one) => one !== 'inbox' && one !== 'client')) {
    return wrong('surfaces', 'Write inbox, client, or both with a comma.')
  }
  return {
    ok: true,
    terms: {
      anyOf,
      exclude,
      declines,
      ...(decideWithinMs === undefined ? {} : { decideWithinMs }),
      ...(useWithinMs === undefined ? {} : { useWithinMs }),
      needsPresence: annotations.presence === 'required',
      needsReason: annotations.reason === 'required',
      surfaces: surfaces as AskTerms['surfaces'],
    },
  }
}

/** The requirement for a call of this principal, with the members of `groups:`. */
export function requirementOf(
  { anyOf, exclude }: AskTerms,
  requester: string,
  people: PeopleNames,
): ApprovalRequirement {
  const approvers = (name: string): readonly Approver[] =>
    name === 'requester' ? [`person:${requester}`] : approversOf(name, people)
  return {
    anyOf: anyOf.map((factors) =>
      factors.map(({ from, approvals }) => ({ from: [...new Set(from.flatMap(approvers))], approvals })),
    ),
    excluded: exclude.map((name) =>
      name === 'requester' ? requester : principalNamed(name.slice('person:'.length), people.issuer),
    ),
  }
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds; undefined for an invalid duration. */
function durationOf(text: string): number | undefined {
  const { count, unit } = /^(?<count>[0-9]{1,12})(?<unit>ms|s|m|h|d)$/.exec(text)?.groups ?? {}
  return count === undefined ? undefined : Number(count) * units[unit as keyof typeof units]
}

function readFactor(text: string): TermFactor | undefined {
  const { names, count } = factorPattern.exec(text)?.groups ?? {}
  const [from, approvals] = [namesIn(names), Number(count ?? 1)]
  return from.length === 0 || approvals === 0 ? undefined : { from, approvals }
}

function isKnown(name: string, groups: ReadonlySet<string>): boolean {
  return name === 'requester' || isApprover(name) || groups.has(name)
}

function namesIn(text = ''): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
