// Who may decide an ask, and how many of them must agree.
//
// Approvers are named people or groups; a barred person may not decide even as a member of a group, which is how
// "not the one who asked" is said. One decline ends an ask unless its electorate says otherwise.

import { isName } from '../ids.ts'
import { askLimits } from '../limits.ts'

export type Approver = `person:${string}` | `group:${string}`

export interface Electorate {
  readonly approvers: readonly Approver[]
  /** Principals who may not decide, whatever groups they are in. */
  readonly barred: readonly string[]
  /** How many accepts make a yes. */
  readonly approvals: number
  /** How many declines make a no. */
  readonly declines: number
}

/** Someone who wants to see or decide asks: who they are, proven, and the groups vouched for by their identity. */
export interface Person {
  readonly principal: string
  readonly groups: readonly string[]
}

/** The usual case: one person, one answer. */
export function only(principal: string): Electorate {
  return { approvers: [`person:${principal}`], barred: [], approvals: 1, declines: 1 }
}

/** The names under which this person may be an approver. */
export function approverNames(person: Person): Approver[] {
  return [`person:${person.principal}`, ...new Set(person.groups.map((group): Approver => `group:${group}`))]
}

export function mayDecide(electorate: Electorate, person: Person): boolean {
  if (electorate.barred.includes(person.principal)) return false
  return approverNames(person).some((name) => electorate.approvers.includes(name))
}

/** Says in words why this electorate could never decide fairly, or nothing. */
export function electorateProblem({ approvers, barred, approvals, declines }: Electorate): string | undefined {
  if (approvers.length === 0) return 'An ask needs at least one approver.'
  if (approvers.length > askLimits.approvers) return `An ask has at most ${askLimits.approvers} approvers.`
  if (barred.length > askLimits.approvers) return `An ask bars at most ${askLimits.approvers} people.`
  if (new Set(approvers).size !== approvers.length) return 'An approver is named twice.'
  if (![...approvers, ...barred].every(isName)) return 'An approver has a name that cannot be shown.'
  if (!isCount(approvals) || !isCount(declines)) return `A quorum is a whole number from 1 to ${askLimits.approvals}.`

  // A group may hold any number of people; named people can be counted.
  if (approvers.some((name) => name.startsWith('group:'))) return undefined
  const free = approvers.filter((name) => !barred.includes(name.slice('person:'.length)))
  if (free.length < approvals) return 'There are fewer approvers than approvals needed.'
  return undefined
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= askLimits.approvals
}
