// Who may decide an ask, and how many of them must agree.
//
// Approvers are named people or groups. An excluded person may not decide even as a member of a group; this is how
// "not the person who asked" is expressed. One decline ends an ask unless its rule sets another number.
//
// A rule is written in one of two ways: a number of approvals from a list of approvers, or the requirements of policies
// (approval-places.ts). All functions work on the requirements, of which the first way is a short form.

import { canonicalJson } from '../digest/canonical.ts'
import { isName } from '../ids.ts'
import { askLimits } from '../limits.ts'
import {
  type ApprovalRequirement,
  approvalsMissing,
  approvalsMost,
  mayApprove,
  meetsRequirements,
  requirementsProblem,
} from './approval-places.ts'
import type { Approver, Person } from './approver.ts'

export interface ApprovalRule {
  readonly approvers: readonly Approver[]
  /** Principals who may not decide, whatever groups they are in. */
  readonly excluded: readonly string[]
  /** How many accepts make a yes. */
  readonly approvals: number
  /** How many declines make a no. */
  readonly declines: number
  /**
   * Set for a rule of policies (`ruleOf`): all of them are to be met. Then `approvers` is everyone they name, `excluded`
   * is empty, and `approvals` is the most accepts that any way to meet them needs.
   */
  readonly requirements?: readonly ApprovalRequirement[]
}

/** The usual rule: this person decides alone. */
export function soleApprover(principal: string): ApprovalRule {
  return { approvers: [`person:${principal}`], excluded: [], approvals: 1, declines: 1 }
}

/** The rule of these requirements. */
export function ruleOf(requirements: readonly ApprovalRequirement[], declines: number): ApprovalRule {
  const factors = requirements.flatMap(({ anyOf }) => anyOf.flat())
  return {
    approvers: [...new Set(factors.flatMap(({ from }) => from))],
    excluded: [],
    approvals: approvalsMost(requirements),
    declines,
    requirements,
  }
}

export function requirementsOf({
  approvers,
  excluded,
  approvals,
  requirements,
}: ApprovalRule): readonly ApprovalRequirement[] {
  return requirements ?? [{ anyOf: [[{ from: approvers, approvals }]], excluded }]
}

export function mayDecide(approvalRule: ApprovalRule, person: Person): boolean {
  return mayApprove(requirementsOf(approvalRule), person)
}

/** Whether this person sees the ask: everyone who may decide it, and the person whose call waits for it. */
export function maySee(
  ask: { readonly approvalRule: ApprovalRule; readonly principal: string },
  person: Person,
): boolean {
  return ask.principal === person.principal || mayDecide(ask.approvalRule, person)
}

/** Whether the accepts of these people make a yes. */
export function isApprovedBy(approvalRule: ApprovalRule, accepted: readonly Person[]): boolean {
  return meetsRequirements(requirementsOf(approvalRule), accepted)
}

/** How many more accepts a yes needs at least. */
export function acceptsMissing(approvalRule: ApprovalRule, accepted: readonly Person[]): number {
  return approvalsMissing(requirementsOf(approvalRule), accepted)
}

/** The groups of this person that the rule names: the only ones that are stored with a vote. */
export function groupsNamed({ approvers }: ApprovalRule, { groups }: Person): readonly string[] {
  return [...new Set(groups)].filter((group) => approvers.includes(`group:${group}`)).sort()
}

/** The reason why this rule is invalid or could never reach a decision; undefined when it is valid. */
export function approvalRuleProblem(approvalRule: ApprovalRule): string | undefined {
  const { approvers, excluded, approvals, declines, requirements } = approvalRule
  if (approvers.length === 0) return 'An ask needs at least one approver.'
  if (approvers.length > askLimits.approvers) return `An ask has at most ${askLimits.approvers} approvers.`
  if (!isCount(declines)) return `A quorum is a whole number from 1 to ${askLimits.approvals}.`
  if (requirements !== undefined) {
    const problem = requirementsProblem(requirements)
    if (problem !== undefined) return problem
    const isConsistent = canonicalJson(ruleOf(requirements, declines)) === canonicalJson(approvalRule)
    return isConsistent ? undefined : 'The approvers of the rule are not those of its requirements.'
  }
  if (excluded.length > askLimits.approvers) return `An ask excludes at most ${askLimits.approvers} people.`
  if (new Set(approvers).size !== approvers.length) return 'An approver is named twice.'
  if (![...approvers, ...excluded].every(isName)) return 'An approver has a name that cannot be shown.'
  if (!isCount(approvals)) return `A quorum is a whole number from 1 to ${askLimits.approvals}.`
  return requirementsProblem(requirementsOf(approvalRule))
}

/** The reason why the approval that these requirements ask for can never be given; undefined when it can. */
export function approvalProblem(requirements: readonly ApprovalRequirement[], declines: number): string | undefined {
  // First, because a name that cannot be shown cannot be compared either.
  return requirementsProblem(requirements) ?? approvalRuleProblem(ruleOf(requirements, declines))
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= askLimits.approvals
}
