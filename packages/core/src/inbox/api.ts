// Requests and responses of the inbox API, written by the gateway and read by the web app. view.ts has the asks in them.

import type { Answer } from '../ask/answer.ts'
import type { NamedOutcome } from '../ask/person-answer.ts'
import type { AuditProof } from '../audit/proof.ts'
import type { ContentIssue } from '../form/check.ts'
import type { AskView } from './view.ts'

/** `GET /api/sign-in`: people sign in with a link that works once, or with their account at an issuer (its host). */
export type SignInView = { readonly way: 'link' } | { readonly way: 'account'; readonly issuer: string }

/** `POST /api/sign-in` over plain http, where the session belongs to the key of one browser. */
export interface SignedInView {
  /** The id of the session; without a signature it gives no access. */
  readonly session: string
  /** The secret that the listener authenticates with from now on. */
  readonly listenerSecret: string
}

/** `GET /api/nonce`: what the browser signs next, and the proof that this is the listener it signed in at. */
export interface NonceView {
  readonly nonce: string
  readonly proof: string
}

export interface LoginStartView {
  /** Where to go to sign in. */
  readonly url: string
}

/** `GET /api/me` */
export interface MeView {
  readonly name: string
  /** Whether tools can be run from here: only in a program that was started for that. */
  readonly hasPlayground?: boolean
  readonly nowMs: number
}

/** `GET /api/asks` and `GET /api/history` */
export interface AskPageView {
  readonly asks: readonly AskView[]
  /** Passed back as `cursor`; absent on the last page. */
  readonly next?: string
  readonly nowMs: number
}

/** `GET /api/asks/{id}` */
export interface OneAskView {
  readonly ask: AskView
  readonly nowMs: number
}

/** The body of `POST /api/asks/{id}/answer`. */
export interface AnswerBody {
  /** Made once per press of a button: the same id again is the same answer sent twice. */
  readonly decisionId: string
  readonly answer: {
    readonly action: Answer['action']
    readonly content?: Readonly<Record<string, unknown>>
    readonly comment?: string
  }
  /** The person confirmed that the answer is sent although part of it looks like a secret. */
  readonly confirmed?: boolean
}

/** The body of `POST /api/secrets/{page}`: a secret that only the asking server can read. */
export interface HandOverBody {
  /** As in `AnswerBody`. */
  readonly decisionId: string
  readonly sealed: SealedSecret
}

/** One message of HPKE (RFC 9180) in base64url: the encapsulated key, and the ciphertext. */
export interface SealedSecret {
  readonly enc: string
  readonly ct: string
}

/** The result of an answer that counted. */
export interface AnsweredView extends OneAskView {
  readonly result: 'settled' | 'counted'
}

export type InboxProblemCode =
  | 'not-found'
  | 'signed-out'
  /** The request is not signed by this browser, or the listener could not prove that it is the inbox. */
  | 'unverified'
  | 'refused'
  | 'malformed'
  | 'too-large'
  | 'too-many'
  /** What was filled in does not fit; `issues` has the fields. The ask stays open. */
  | 'invalid'
  /** Something in the answer looks like a secret: sent again with `confirmed: true` it counts. The ask stays open. */
  | 'looks-secret'
  /** Too late: `ask` and `message` state who settled it, how and when. */
  | 'ended'
  | 'already-voted'
  | 'no-cancel'
  | 'conflict'
  | 'unavailable'

export interface InboxProblem {
  readonly code: InboxProblemCode
  readonly message: string
  readonly issues?: readonly ContentIssue[]
  readonly ask?: AskView
  readonly nowMs?: number
}

/** One event of `GET /api/changes`: a hint to load the ask again. Events are in the order of the changes. */
export interface ChangeView {
  readonly id: string
  readonly change: 'raised' | 'voted' | 'settled' | 'undelivered' | 'expired' | 'withdrawn'
}

/** `GET /api/asks/{id}/proof`: the audit entries of one ask, for export. */
export interface ProofView extends AuditProof {
  /** Whether the log is intact. A statement of this gateway, which the proof itself does not prove. */
  readonly chain: ChainView
  readonly nowMs: number
}

export type ChainView = { readonly checkedAtMs: number } & (
  | {
      readonly kind: 'whole'
      readonly lastSeq: number
      readonly lastHash: string
      /** How many asks and grants were compared with the log. */
      readonly asks: number
      readonly grants: number
      /** The latest stored checkpoint. */
      readonly checkpointSeq?: number
      readonly checkpointAtMs?: number
    }
  /** The entry that was changed, and the problem. */
  | { readonly kind: 'broken'; readonly seq: number; readonly problem: string }
  /** An ask or a grant in the database that does not match its entries or its signatures. */
  | { readonly kind: 'mismatch'; readonly problem: string }
  | { readonly kind: 'too-long' }
)

/** `GET /api/figures` */
export interface StatisticsView {
  readonly nowMs: number
  readonly sinceMs: number
  readonly counted: number
  /** False when there were more than are counted; then these are the newest. */
  readonly complete: boolean
  readonly outcomes: readonly { readonly outcome: NamedOutcome; readonly count: number }[]
  /** Of all that were counted: answers that were a yes, and answers that were a no. */
  readonly yes: number
  readonly no: number
  /** Counts of answers by how long the person took; the last one has no upper bound. */
  readonly waits: readonly { readonly underMs?: number; readonly count: number }[]
  readonly medianMs?: number
  readonly tools: readonly ToolStatistics[]
}

export interface ToolStatistics {
  readonly server: string
  readonly tool?: string
  readonly yes: number
  readonly no: number
  /** Answered without a yes or a no: a choice, a text, a pause. */
  readonly answered: number
  /** Dismissed, expired, withdrawn, undeliverable, unseen. */
  readonly unanswered: number
}
