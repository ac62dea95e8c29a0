// The request for the approval of one call, and the state that continues the call. Pure, except for a random id.

import { randomUUID } from 'node:crypto'
import {
  type Action,
  askLimits,
  askMeta,
  decisionForm,
  encodeForm,
  type Form,
  isPlainObject,
  type JsonObject,
} from '@assent/core'
import { policyLimits } from '../../limits.ts'
import { objectAt } from '../../protocol/messages.ts'
import type { InputResponse, NeedsInput, ServerState, WantedApproval } from '../model.ts'
import type { RequiredApproval } from './required-approval.ts'

/** A response that is not an error. */
export type Replied = Extract<InputResponse, { readonly result: JsonObject }>

/** What continues a call that waits for its approval. */
export type PolicyState = {
  readonly policy: {
    readonly digest: string
    readonly approval: RequiredApproval
    /** Used up with an approval that the store does not know. */
    readonly once: string
  }
}

export interface ApprovalDraft {
  readonly action: Action
  readonly digest: string
  readonly approval: RequiredApproval
  readonly policySetDigest: string
  readonly title: string
}

/** The key of the only question. */
export const approvalKey = 'approval'

const decisionSchema = schemaOf(decisionForm)

export function approvalRequest({ action, digest, approval, policySetDigest, title }: ApprovalDraft): NeedsInput {
  const { decideWithinMs, needsPresence, ...terms } = approval
  const wanted: WantedApproval = { ...terms, title, definitionDigest: action.definitionDigest, policySetDigest }
  const waitMs = Math.min(decideWithinMs ?? policyLimits.decideWithinMs, askLimits.decideMaxMs)
  const meta = askMeta({ waitMs, ...(decideWithinMs === undefined ? { isDefault: true } : {}) })
  const state: PolicyState = { policy: { digest, approval, once: randomUUID() } }
  return {
    kind: 'input-required',
    wanted: {
      [approvalKey]: {
        kind: 'form',
        message: title,
        schema: decisionSchema,
        params: { message: title, requestedSchema: decisionSchema, _meta: meta },
        approval: wanted,
        ...(needsPresence === true ? { needsPresence } : {}),
      },
    },
    state: state as JsonObject,
  }
}

export function isPolicyState(state: ServerState): state is PolicyState & JsonObject {
  return isPlainObject(state) && isPlainObject(state.policy)
}

export function isApproved({ result }: Replied): boolean {
  return result.action === 'accept' && objectAt(result, 'content')?.decision === 'approve'
}

function schemaOf(form: Form): JsonObject {
  const encoded = encodeForm(form, 'either-2025')
  if (!encoded.ok) throw new Error(encoded.reason)
  return encoded.schema
}
