// What an approval rule needs, in words: "2 approvals from release and 1 approval from security".

import type { ApprovalFactor, ApprovalRequirement } from './approval-places.ts'
import { type ApprovalRule, requirementsOf } from './approval-rule.ts'
import type { Approver } from './approver.ts'

/** @param nameOf the display name of the person with this principal */
export function approvalNeeds(approvalRule: ApprovalRule, nameOf: (principal: string) => string): string {
  const all = new Set(requirementsOf(approvalRule).map((one) => requirementText(one, nameOf)))
  return [...all].join('; and ')
}

type NameOf = (principal: string) => string

function requirementText({ anyOf, excluded }: ApprovalRequirement, nameOf: NameOf): string {
  const needed = anyOf.map((factors) => factors.map((factor) => factorText(factor, nameOf)).join(' and ')).join(', or ')
  return excluded.length === 0 ? needed : `${needed} (not from ${listed(excluded.map(nameOf))})`
}

function factorText({ from, approvals }: ApprovalFactor, nameOf: NameOf): string {
  return `${approvals} ${approvals === 1 ? 'approval' : 'approvals'} from ${listed(from.map((one) => approverText(one, nameOf)))}`
}

function approverText(approver: Approver, nameOf: NameOf): string {
  return approver.startsWith('group:') ? approver.slice('group:'.length) : nameOf(approver.slice('person:'.length))
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'no person'
  return names.length === 1 ? `${names[0]}` : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}
