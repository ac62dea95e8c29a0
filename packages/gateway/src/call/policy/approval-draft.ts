// What approvers decide about: the exact action of one call, as their ask will store it. Pure.
//
// I1  A call whose ask the store would not take is refused here, with the reason.

import {
  actionDigest,
  approvalProblem,
  isAssentError,
  isName,
  type JsonObject,
  toolDefinitionDigest,
} from '@assent/core'
import { fits } from '../candidate-calls.ts'
import type { Call } from '../model.ts'
import { actionOf } from './action-of.ts'
import type { ApprovalDraft } from './approval-request.ts'
import type { RequiredApproval } from './required-approval.ts'
import { policyText } from './text/policy-gate.ts'

interface DraftedCall {
  readonly server: string
  readonly call: Pick<Call, 'method' | 'params'>
  /** Of the target, as its server lists it. */
  readonly definition: JsonObject
  readonly isDefinitionChanged: boolean
  readonly policySetDigest: string
}

/** The draft, or the text for the caller of a call that cannot be approved. */
export function approvalDraft(
  { server, call, definition, isDefinitionChanged, policySetDigest }: DraftedCall,
  approval: RequiredApproval,
): ApprovalDraft | string {
  const problem = approvalProblem(approval.requirements, approval.declines)
  if (problem !== undefined) return policyText.impossible(problem)
  const definitionDigest = digestOrNone(() => toolDefinitionDigest(definition))
  if (definitionDigest === undefined)
    return call.method === 'tools/call' ? policyText.notPinnable : policyText.unreadable
  const action = actionOf(server, call, definitionDigest)
  if (action.kind !== 'resource' && !isName(action.tool)) return policyText.unreadable
  const digest = digestOrNone(() => actionDigest(action))
  if (digest === undefined) return policyText.tooLarge
  const title = policyText.title(server, action, isDefinitionChanged)
  const draft = { action, digest, approval, policySetDigest, title }
  // The question of an ask is larger than its action.
  return fits(draft) ? draft : policyText.tooLarge
}

function digestOrNone(digest: () => string): string | undefined {
  try {
    return digest()
  } catch (error) {
    if (isAssentError(error)) return undefined
    throw error
  }
}
