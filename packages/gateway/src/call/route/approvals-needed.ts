// The approvals that a call waits for, in words for its caller and for `assent policy explain`.

import { type ApprovalRule, type Ask, approvalNeeds, oneLine, ruleOf } from '@assent/core'
import type { RoutingState } from '../call-state.ts'

/** Undefined for an ask that no policy requires. */
export function neededBy({ approvalRule }: Pick<Ask, 'approvalRule'>): string | undefined {
  return approvalRule.requirements === undefined ? undefined : approvalsInWords(approvalRule)
}

/** Undefined if no policy requires an approval of this call. */
export function neededIn({ wanted }: Pick<RoutingState, 'wanted'>): string | undefined {
  for (const one of Object.values(wanted)) {
    if (one.kind === 'form' && one.approval !== undefined)
      return approvalsInWords(ruleOf(one.approval.requirements, one.approval.declines))
  }
  return undefined
}

/** A principal is the issuer and the subject; only the subject is shown. */
export function approvalsInWords(rule: ApprovalRule): string {
  const needs = approvalNeeds(rule, (principal) => principal.slice(principal.lastIndexOf('#') + 1))
  return oneLine(needs, 'web')
}
