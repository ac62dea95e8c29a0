// What the later rounds of an approved call carry: the approval that was used for it.
//
// An approval is for one run. A server that asks more questions after the approval gets the answers with a new request,
// and the caller could send that request again. So each of those rounds has an id, under which it is claimed in the store
// (route/send-answers.ts): it is sent once, and another request with the same state gets its outcome.

import { randomUUID } from 'node:crypto'
import { compact, isPlainObject, type JsonObject } from '@assent/core'
import type { Outcome, ServerState } from '../model.ts'
import type { RequiredApproval } from './required-approval.ts'

/** The approval that a call has used. */
export type UsedApproval = {
  readonly digest: string
  readonly approval: RequiredApproval
  /** The ask whose votes the store has. Undefined for an approval in the caller's own client. */
  readonly askId?: string
}

type CarriedApproval = UsedApproval & {
  /** Which questions of the call these are. */
  readonly round: string
}

/** The outcome of an approved call: if it asks for more input, its state carries the approval and the id of the round. */
export function asApproved(outcome: Outcome, { digest, approval, askId }: UsedApproval): Outcome {
  if (outcome.kind !== 'input-required') return outcome
  const approved: CarriedApproval = { digest, approval, ...compact({ askId }), round: randomUUID() }
  const inner = isPlainObject(outcome.state) ? (outcome.state as JsonObject) : {}
  return { ...outcome, state: { ...inner, approved } as JsonObject }
}

/** Undefined for a call that needed no approval. */
export function approvedIn(state: ServerState): CarriedApproval | undefined {
  return isPlainObject(state) && isPlainObject(state.approved) ? (state.approved as CarriedApproval) : undefined
}
