// Who may decide an ask, and how many of them must agree.
//
// Approvers are named people or groups. An excluded person may not decide even as a member of a group; this is how
// "not the person who asked" is expressed. One decline ends an ask unless its rule sets another number.

import { isName } from '../ids.ts'
import { askLimits } from '../limits.ts'

export type Approver = `person:${string}` | `group:${string}`

export interface ApprovalRule {
  readonly approvers: readonly Approver[]
  /** Principals who may not decide, whatever groups they are in. */
  readonly excluded: readonly string[]
  /** How many accepts make a yes. */
  readonly approvals: number
  /** How many declines make a no. */
  readonly declines: number
}

/** An authenticated person who wants to see or decide asks, with the groups that their identity provider confirms. */
export interface Person {
  readonly principal: string
  readonly groups: readonly string[]
}

/** The usual rule: this person decides alone. */
export function soleApprover(principal: string): ApprovalRule {
  return { approvers: [`person:${principal}`], excluded: [], approvals: 1, declines: 1 }
}

/** The names under which this person may be an approver. */
export function approverNames(person: Person): Approver[] {
  return [`person:${person.principal}`, ...new Set(person.groups.map((group): Approver => `group:${group}`))]
}

export function mayDecide(approvalRule: ApprovalRule, person: Person): boolean {
  if (approvalRule.excluded.includes(person.principal)) return false
  return approverNames(person).some((name) => approvalRule.approvers.includes(name))
}

/** The reason why this rule is invalid or could never reach a decision; undefined when it is valid. */
export function approvalRuleProblem({ approvers, excluded, approvals, declines }: ApprovalRule): string | undefined {
  if (approvers.length === 0) return 'An ask needs at least one approver.'
  if (approvers.length > askLimits.approvers) return `An ask has at most ${askLimits.approvers} approvers.`
  if (excluded.length > askLimits.approvers) return `An ask excludes at most ${askLimits.approvers} people.`
  if (new Set(approvers).size !== approvers.length) return 'An approver is named twice.'
  if (![...approvers, ...excluded].every(isName)) return 'An approver has a name that cannot be shown.'
  if (!isCount(approvals) || !isCount(declines)) return `A quorum is a whole number from 1 to ${askLimits.approvals}.`

  // A group may hold any number of people; named people can be counted.
  if (approvers.some((name) => name.startsWith('group:'))) return undefined
  const eligible = approvers.filter((name) => !excluded.includes(name.slice('person:'.length)))
  if (eligible.length < approvals) return 'There are fewer approvers than approvals needed.'
  return undefined
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= askLimits.approvals
}
