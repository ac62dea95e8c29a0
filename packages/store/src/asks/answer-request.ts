// Requests that answer or end an ask, and their results.

import type { AnswerWarning, Ask, ContentIssue, Person, Surface } from '@assent/core'
import type { SignedResponse, UsedState } from '../passkeys/passkeys.ts'

export interface AnswerRequest {
  readonly tenant: string
  readonly id: string
  /** The person who answers, as authenticated by the surface. */
  readonly person: Person
  /** Groups of the person that were confirmed too long ago to decide. They count for reading the outcome of an ended ask. */
  readonly staleGroups?: readonly string[]
  readonly via: Surface
  /** As received; validated by the store. */
  readonly answer: unknown
  /** The ask, if the caller has just read it. Otherwise the store reads it. */
  readonly ask?: Ask
  /** Refuse an answer that looks like a secret, because the person has not confirmed it. */
  readonly refusesSecrets?: boolean
  /** A second request with the same id is the same answer sent twice. Generated if the surface has none. */
  readonly decisionId?: string
  /** The sealed state that carried the answer. It is used up together with the answer. */
  readonly state?: UsedState
  /** The setting in force requires a passkey for an accept, whether or not the ask does. */
  readonly needsPresence?: boolean
  /** The signature of the person's passkey over this answer. */
  readonly presence?: PresenceResponse
}

/** As received from a browser; the store verifies it. */
export type PresenceResponse = Omit<SignedResponse, 'actionDigest'>

/** A secret, encrypted for the server that asked for it. */
export interface HandOverRequest
  extends Pick<AnswerRequest, 'tenant' | 'id' | 'person' | 'decisionId' | 'state' | 'needsPresence' | 'presence'> {
  readonly page: string
  readonly sealed: string
}

export type AnswerResult =
  /** This answer decided the ask. Also if the same answer is sent again. */
  | { readonly kind: 'settled'; readonly ask: Ask }
  /** It was counted, and more answers are needed. */
  | { readonly kind: 'counted'; readonly ask: Ask }
  /** Too late: the ask's state contains who settled it, how and when, or how else it ended. */
  | { readonly kind: 'ended'; readonly ask: Ask }
  | { readonly kind: 'invalid'; readonly issues: readonly ContentIssue[] }
  | { readonly kind: 'malformed'; readonly message: string }
  /** It contains something that looks like a secret, and the request refuses secrets. The ask stays open. */
  | { readonly kind: 'looks-secret'; readonly warnings: readonly AnswerWarning[] }
  /** This person has answered already; their first answer counts. */
  | { readonly kind: 'already-voted' }
  /** Several people must decide, so one person cannot dismiss the ask. */
  | { readonly kind: 'no-cancel' }
  /** The same decision id was sent with a different answer. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'state-used' }
  /** Accepting it needs a passkey: the signature is missing, or is not valid for this answer. The ask stays open. */
  | { readonly kind: 'presence'; readonly problem: 'required' | PresenceProblem }
  /** There is no such ask, or this person may not decide it: the same result on purpose. */
  | { readonly kind: 'not-found' }

/** Why a signature does not count, as the end of a sentence. */
export interface PresenceProblem {
  readonly why: string
}

export type EndResult =
  | { readonly kind: 'done' | 'ended'; readonly ask: Ask }
  | { readonly kind: 'not-due' | 'not-found' }
