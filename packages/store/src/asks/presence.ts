// Whether an accept has the signature of a passkey where it needs one.
//
// The requirement comes from the ask, where it was fixed when the ask was raised, and from the setting in force. Either
// one is enough. A signature that is given is verified even where none is required.

import { type Ask, actionDigestOf, answerDigests, askChallenge, type Vote } from '@assent/core'
import type { Passkeys } from '../passkeys/passkeys.ts'
import type { AnswerParams, Counted, SignedAnswerParams } from './answer-ask.ts'
import type { AnswerRequest, AnswerResult } from './answer-request.ts'

export type PresenceRequest = Pick<AnswerRequest, 'needsPresence' | 'presence' | 'state'>
/** Runs the statement that counts an answer, with or without the signature of a passkey. */
export type RunAnswer = (params: AnswerParams | SignedAnswerParams) => Promise<Counted[]>

export type ProvenVote =
  | {
      readonly ok: true
      readonly vote: Vote
      readonly signed?: { readonly passkey: string; readonly sign_count: number }
    }
  | { readonly ok: false; readonly result: AnswerResult & { readonly kind: 'presence' } }

export async function provenVote(
  passkeys: Passkeys,
  ask: Ask,
  vote: Vote,
  { needsPresence, presence, state }: PresenceRequest,
): Promise<ProvenVote> {
  if (vote.answer.action !== 'accept') return { ok: true, vote }
  if (presence === undefined) {
    const isRequired = ask.needsPresence === true || needsPresence === true
    return isRequired ? { ok: false, result: { kind: 'presence', problem: 'required' } } : { ok: true, vote }
  }
  // Without a state that is used up, the same signature could be sent again.
  if (state === undefined) return { ok: false, result: { kind: 'presence', problem: 'required' } }
  const { tenant, question } = ask
  const actionDigest = actionDigestOf(question)
  const challenge = askChallenge(ask, answerDigests(vote.answer), vote.by, presence.nonce)
  const owner = { tenant, principal: vote.by }
  const verified = await passkeys.verify(owner, { ...presence, actionDigest }, challenge)
  if (!verified.ok) return { ok: false, result: { kind: 'presence', problem: { why: verified.problem } } }
  const { assertion, passkey, signCount } = verified
  return { ok: true, vote: { ...vote, presence: assertion }, signed: { passkey, sign_count: signCount } }
}

export function isSigned(params: AnswerParams | SignedAnswerParams): params is SignedAnswerParams {
  return 'passkey' in params
}
