// The approvals that a call waits for, in words for its caller.

import { type ApprovalRule, type Ask, approvalNeeds, oneLine, ruleOf } from '@assent/core'
import type { RoutingState } from '../call-state.ts'

/** Undefined for an ask that no policy requires. */
export function neededBy({ approvalRule }: Pick<Ask, 'approvalRule'>): string | undefined {
  return approvalRule.requirements === undefined ? undefined : inWords(approvalRule)
}

/** Undefined if no policy requires an approval of this call. */
export function neededIn({ wanted }: Pick<RoutingState, 'wanted'>): string | undefined {
  for (const one of Object.values(wanted)) {
    if (one.kind === 'form' && one.approval !== undefined)
      return inWords(ruleOf(one.approval.requirements, one.approval.declines))
  }
  return undefined
}

/** A principal is the issuer and the subject; a caller is shown the subject. */
function inWords(rule: ApprovalRule): string {
  const needs = approvalNeeds(rule, (principal) => principal.slice(principal.lastIndexOf('#') + 1))
  return oneLine(needs, 'web')
}
