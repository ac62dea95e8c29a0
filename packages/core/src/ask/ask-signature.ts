// Signatures (MACs) that bind a stored ask, its votes and its grant to the key ring.
//
// A database row alone releases nothing: a person who can edit the database has no key of the ring, so a changed
// question, approval rule, answer or voter no longer matches its signature. Each signature is
// `v1.<key id>.<base64url>`, an HMAC-SHA-256 over one line of JSON. Asks, votes and grants have separate subkeys.
//
// I1  The signature of an ask covers what people are shown and who may decide it.
// I2  The signature of a vote covers the ask's statement, so a vote counts for one ask, question and approval rule.
// I3  An answer is covered through its digests, so it can be verified after its content was deleted.
// I4  A vote with the signature of a passkey counts only if that signature is over this vote; an accept of an ask that needs
//     presence counts only with one.
// Not covered: times that the database sets. `audit verify` compares those with the audit log.

import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import { digestOf } from '../digest/digest.ts'
import { isAssentError } from '../errors.ts'
import { type AssertionCheck, verifyAssertion } from '../presence/assertion.ts'
import type { KeyRing, MacPurpose } from '../seal/key-ring.ts'
import { type Answer, answerDigests } from './answer.ts'
import { isApprovedBy } from './approval-rule.ts'
import { type Ask, acceptedBy, mayCancel, needsSeveral, type StoredVote, type Vote } from './ask.ts'
import { actionDigestOf, askChallenge, ruleDigestOf } from './presence-challenge.ts'

/** The parts of an ask that never change, which its signature covers. */
export type AskTerms = Pick<
  Ask,
  'tenant' | 'id' | 'asker' | 'caller' | 'principal' | 'question' | 'approvalRule' | 'needsPresence' | 'useWithinMs'
> & {
  readonly decideWithinMs: number
}

export interface GrantTerms {
  readonly tenant: string
  readonly id: string
  readonly askId: string
  readonly digest: string
  readonly principal: string
}

/** The signatures that were stored with an ask; null where none was. */
export interface StoredSignatures {
  readonly ask: string | null
  /** Of the deciding vote. */
  readonly decision: string | null
  /** In the order of the ask's votes. */
  readonly votes: readonly (string | null)[]
}

export type SignatureProblem =
  | { readonly reason: 'unsigned' | 'unknown-key' | 'mismatch'; readonly what: 'ask' | 'decision' | 'vote' | 'grant' }
  /** All signatures match, and there are not enough of them. */
  | { readonly reason: 'too-few-votes'; readonly what: 'decision' }
  /** The signature of the person's passkey is missing, or is not over this decision. */
  | { readonly reason: 'presence'; readonly what: 'decision' | 'vote' }

export function signAsk(ring: KeyRing, terms: AskTerms): string {
  return sign(ring, 'ask', askStatement(terms))
}

export function askTerms(ask: Ask): AskTerms {
  return { ...ask, decideWithinMs: ask.decideByMs - ask.raisedAtMs }
}

export function signVote(ring: KeyRing, ask: AskTerms, vote: Vote): string {
  return sign(ring, 'vote', voteStatement(sha256(askStatement(ask)), vote))
}

export function signGrant(ring: KeyRing, grant: GrantTerms): string {
  return sign(ring, 'grant', grantStatement(grant))
}

/** Why a stored ask must not be used; undefined when every signature that it needs is valid. */
export function signatureProblem(ring: KeyRing, ask: Ask, stored: StoredSignatures): SignatureProblem | undefined {
  try {
    return storedProblem(ring, ask, stored)
  } catch (error) {
    // A question or answer without a digest was not stored by Assent, which signs only values that have one.
    if (isAssentError(error)) return { reason: 'mismatch', what: 'ask' }
    throw error
  }
}

function storedProblem(ring: KeyRing, ask: Ask, stored: StoredSignatures): SignatureProblem | undefined {
  const statement = askStatement(askTerms(ask))
  const ofAsk = problemOf(ring, 'ask', statement, stored.ask)
  if (ofAsk !== undefined) return { reason: ofAsk, what: 'ask' }
  const { state } = ask
  if (state.kind !== 'settled') return undefined

  const askDigest = sha256(statement)
  const ofDecision = problemOf(ring, 'vote', voteStatement(askDigest, state), stored.decision)
  if (ofDecision !== undefined) return { reason: ofDecision, what: 'decision' }
  if (!hasPresence(ask, state)) return { reason: 'presence', what: 'decision' }
  if (!needsSeveral(ask.approvalRule)) return undefined
  for (const [index, vote] of ask.votes.entries()) {
    const ofVote = problemOf(ring, 'vote', voteStatement(askDigest, vote), stored.votes[index] ?? null)
    if (ofVote !== undefined) return { reason: ofVote, what: 'vote' }
    if (!hasPresence(ask, vote)) return { reason: 'presence', what: 'vote' }
  }
  return isEnough(ask, state.answer.action) ? undefined : { reason: 'too-few-votes', what: 'decision' }
}

/** The first decision or vote without the passkey's signature that it needs. It is found without any key of ours. */
export function presenceProblem(ask: Ask): SignatureProblem | undefined {
  if (ask.state.kind === 'settled' && !hasPresence(ask, ask.state)) return { reason: 'presence', what: 'decision' }
  return ask.votes.every((vote) => hasPresence(ask, vote)) ? undefined : { reason: 'presence', what: 'vote' }
}

/** Whether the vote has a passkey's signature over itself where it needs one, and no other one. */
function hasPresence(ask: Ask, vote: StoredVote): boolean {
  if (vote.presence === undefined) return ask.needsPresence !== true || vote.answer.action !== 'accept'
  return checkPresence(ask, vote).ok
}

/** Verifies the signature of a passkey that is stored with a vote. Whose key it is remains to be checked. */
export function checkPresence(
  ask: Pick<Ask, 'tenant' | 'id' | 'question' | 'approvalRule'>,
  { answer, deleted, by, presence }: Pick<StoredVote, 'answer' | 'deleted' | 'by' | 'presence'>,
): AssertionCheck {
  if (presence === undefined) return { ok: false, problem: 'it is missing' }
  if (presence.actionDigest !== actionDigestOf(ask.question)) return { ok: false, problem: 'it is for another action' }
  return verifyAssertion(presence, askChallenge(ask, deleted ?? answerDigests(answer), by, presence.nonce))
}

export function grantSignatureProblem(
  ring: KeyRing,
  grant: GrantTerms,
  signature: string | null,
): SignatureProblem | undefined {
  const reason = problemOf(ring, 'grant', grantStatement(grant), signature)
  return reason === undefined ? undefined : { reason, what: 'grant' }
}

export function signatureProblemText({ reason, what }: SignatureProblem): string {
  switch (reason) {
    case 'unsigned':
      return `The stored ${what} has no signature.`
    case 'unknown-key':
      return `The stored ${what} is signed with a key that is not configured.`
    case 'mismatch':
      return `The stored ${what} does not match its signature.`
    case 'presence':
      return `The stored ${what} has no valid signature of a passkey.`
    case 'too-few-votes':
      return 'The stored decision has fewer signed votes than it needs.'
  }
}

/** Whether enough different people voted for the stored decision. */
function isEnough({ approvalRule, votes }: Ask, action: Answer['action']): boolean {
  const voters = new Set(votes.filter((vote) => vote.answer.action === action).map(({ by }) => by))
  if (action === 'accept') return isApprovedBy(approvalRule, acceptedBy(votes))
  if (action === 'decline') return voters.size >= approvalRule.declines
  return mayCancel(approvalRule) && voters.size > 0
}

// A JSON array of strings and numbers has one spelling, so no two statements share their bytes.
function askStatement(terms: AskTerms): string {
  const { tenant, id, asker, caller = {}, principal, question, approvalRule, decideWithinMs, useWithinMs } = terms
  const presence = terms.needsPresence === true ? ['presence'] : []
  const digests = [digestOf('question v1', question), ruleDigestOf(approvalRule)]
  const { server, tool = null } = asker
  const { client = null, folder = null, branch = null } = caller
  const who = [server, tool, client, folder, branch, principal]
  return JSON.stringify(['assent ask v1', tenant, id, ...who, ...digests, decideWithinMs, useWithinMs, ...presence])
}

function voteStatement(askDigest: string, vote: StoredVote): string {
  const { answer, by, via, decisionId, deleted, presence, groups = [] } = vote
  const { action, contentDigest = null, commentDigest = null } = deleted ?? answerDigests(answer)
  const given = [action, contentDigest, commentDigest, by, via, decisionId, ...(groups.length === 0 ? [] : [groups])]
  const signed = presence === undefined ? [] : [digestOf('presence v1', presence)]
  return JSON.stringify(['assent vote v1', askDigest, ...given, ...signed])
}

function grantStatement({ tenant, id, askId, digest, principal }: GrantTerms): string {
  return JSON.stringify(['assent grant v1', tenant, id, askId, digest, principal])
}

function sign(ring: KeyRing, purpose: MacPurpose, statement: string): string {
  const { id, mac } = ring.sealing
  return `v1.${id}.${Buffer.from(mac(purpose, statement)).toString('base64url')}`
}

function problemOf(ring: KeyRing, purpose: MacPurpose, statement: string, signature: string | null) {
  if (signature === null) return 'unsigned'
  const [version, keyId = '', code = '', ...more] = signature.split('.')
  if (version !== 'v1' || more.length > 0) return 'mismatch'
  const key = ring.find(keyId)
  if (key === undefined) return 'unknown-key'
  const expected = Buffer.from(key.mac(purpose, statement)).toString('base64url')
  return isSameText(expected, code) ? undefined : 'mismatch'
}

/** Compares in constant time, so that the duration does not show where the texts differ. */
function isSameText(expected: string, given: string): boolean {
  let difference = expected.length ^ given.length
  for (let at = 0; at < expected.length; at++) difference |= expected.charCodeAt(at) ^ given.charCodeAt(at)
  return difference === 0
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}
