// The terms of an ask, read from the annotations of a Cedar policy:
//
//   @ask("2 of release & security | directors") @exclude("requester") @within("30m")
//
// `|` separates alternatives, `&` the factors of one, and `2 of` is the number of approvals (1 without it). A name is a
// group of `groups:`, `requester`, `group:<name at the issuer>` or `person:<subject>`.

import { type ApprovalRequirement, type Approver, askLimits } from '@assent/core'
import { approversOf, isApprover, type PeopleNames, principalNamed } from './people-names.ts'
import { type Nearest, suggestedName } from './suggested-name.ts'

export interface AskTerms {
  readonly anyOf: readonly (readonly TermFactor[])[]
  readonly exclude: readonly string[]
  /** How many declines end the ask. */
  readonly declines: number
  readonly decideWithinMs?: number
  readonly useWithinMs?: number
  readonly needsPresence: boolean
  readonly needsReason: boolean
  /** What the policy covers is destructive, whatever the server declares. */
  readonly isDestructive?: true
  readonly surfaces: readonly ('inbox' | 'client')[]
}

interface TermFactor {
  readonly from: readonly string[]
  readonly approvals: number
}

export type TermsRead =
  | { readonly ok: true; readonly terms: AskTerms }
  | { readonly ok: false; readonly problem: string; readonly suggestion: string }

/** The annotations that belong to an ask. */
export const askAnnotations = [
  'ask',
  'exclude',
  'declines',
  'within',
  'use_within',
  'presence',
  'reason',
  'risk',
  'surfaces',
] as const

const factorPattern = /^(?:(?<count>[0-9]{1,3}) of )?(?<names>[^&|]+)$/

export function readAskTerms(
  annotations: Readonly<Record<string, string>>,
  groups: ReadonlySet<string>,
  nearest: Nearest = () => undefined,
): TermsRead {
  const wrong = (
    annotation: string,
    suggestion: string,
    problem = `@${annotation} is ${JSON.stringify(annotations[annotation] ?? '')}.`,
  ) => ({ ok: false, problem, suggestion }) as const
  const anyOf: TermFactor[][] = []
  for (const alternative of (annotations.ask ?? '').split('|')) {
    const factors: TermFactor[] = []
    for (const factor of alternative.split('&')) {
      const read = readFactor(factor.trim())
      if (read === undefined)
        return wrong('ask', 'Write names and counts, such as "2 of release & security | directors".')
      const unknown = read.from.find((name) => !isKnown(name, groups))
      if (unknown !== undefined) {
        const known = ['requester', ...groups]
        const meant = suggestedName(unknown, known, nearest, () => unknownGroup(unknown, groups))
        return wrong('ask', meant, `@ask: There is no group ${JSON.stringify(unknown)} in groups.`)
      }
      factors.push(read)
    }
    anyOf.push(factors)
  }
  const exclude = namesIn(annotations.exclude)
  for (const name of exclude) {
    if (name !== 'requester' && !name.startsWith('person:'))
      return wrong('exclude', 'Exclude requester or person:<subject>; a group cannot be excluded.')
  }
  const declines = Number(annotations.declines ?? 1)
  if (!Number.isSafeInteger(declines) || declines < 1 || declines > askLimits.approvals)
    return wrong('declines', `Write a whole number from 1 to ${askLimits.approvals}.`)
  const decideWithinMs = annotations.within === undefined ? undefined : durationOf(annotations.within)
  if (annotations.within !== undefined && decideWithinMs === undefined) return wrong('within', durationHint('30m'))
  const useWithinMs = annotations.use_within === undefined ? undefined : durationOf(annotations.use_within)
  if (annotations.use_within !== undefined && useWithinMs === undefined) {
    return wrong('use_within', durationHint('10m'))
  }
  for (const name of ['presence', 'reason'] as const) {
    if (annotations[name] !== undefined && annotations[name] !== 'required') return wrong(name, 'Write required.')
  }
  if (annotations.risk !== undefined && annotations.risk !== 'destructive') return wrong('risk', 'Write destructive.')
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
      ...(annotations.risk === 'destructive' ? { isDestructive: true } : {}),
      surfaces: surfaces as AskTerms['surfaces'],
    },
  }
}

/** Whether the requester of a call that such a policy asks about cannot approve it. */
export function excludesRequester({ exclude }: Readonly<Record<string, string>>): boolean {
  return namesIn(exclude).includes('requester')
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

/** Milliseconds; undefined for an invalid duration, and for one that no ask can have. */
function durationOf(text: string): number | undefined {
  const { count, unit } = /^(?<count>[0-9]{1,12})(?<unit>ms|s|m|h|d)$/.exec(text)?.groups ?? {}
  const ms = Number(count) * units[unit as keyof typeof units]
  return ms >= askLimits.decideMinMs && ms <= askLimits.useWithinMaxMs ? ms : undefined
}

function durationHint(example: string): string {
  const { decideMinMs, useWithinMaxMs } = askLimits
  return `Write a duration from ${decideMinMs / units.s}s to ${useWithinMaxMs / units.d}d, such as ${example}.`
}

function readFactor(text: string): TermFactor | undefined {
  const { names, count } = factorPattern.exec(text)?.groups ?? {}
  const [from, approvals] = [namesIn(names), Number(count ?? 1)]
  return from.length === 0 || approvals === 0 ? undefined : { from, approvals }
}

function unknownGroup(name: string, groups: ReadonlySet<string>): string {
  const known = groups.size === 0 ? 'Add it to groups' : `The groups are ${[...groups].join(', ')}`
  return `${known}; a group at the issuer is group:${name}, and a person is person:<subject>.`
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
