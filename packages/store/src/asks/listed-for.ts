// The names for which an ask is listed: everyone who may decide it, and the person whose call waits for it.

import type { ApprovalRule, Approver } from '@assent/core'
import { readApprovalRule } from './ask-row.ts'

export function listedFor(ask: {
  readonly approvalRule: ApprovalRule
  readonly principal: string
}): readonly Approver[] {
  return [...new Set([...ask.approvalRule.approvers, `person:${ask.principal}` as const])]
}

/** The same from the columns of its row. */
export function listedForRow(row: { readonly approval_rule: string; readonly principal: string }): readonly Approver[] {
  return listedFor({ approvalRule: readApprovalRule(row.approval_rule), principal: row.principal })
}
