// Requests and responses of the inbox API, written by the gateway and read by the web app. view.ts has the asks in them.

import type { Answer } from '../ask/answer.ts'
import type { PresenceSetting } from '../ask/needs-presence.ts'
import type { NamedOutcome } from '../ask/person-answer.ts'
import type { AuditProof } from '../audit/proof.ts'
import type { ContentIssue } from '../form/check.ts'
import type { JsonObject } from '../json.ts'
import type { AskView } from './view.ts'

/** `GET /api/sign-in`: people sign in with a link that works once, or with their account at an issuer (its host). */
export type SignInView =
  /** `canOpenTab`: the process can open a signed-in page in the browser of the person's desktop. */
  { readonly way: 'link'; readonly canOpenTab?: boolean } | { readonly way: 'account'; readonly issuer: string }

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
  /** Identifies the person: two people can have the same name. */
  readonly principal: string
  readonly name: string
  /** Whether tools can be run from here: only in a program that was started for that. */
  readonly hasPlayground?: boolean
  /** Whether this inbox knows if an agent is running: the inbox of one person on their own machine. */
  readonly knowsAgents?: boolean
  readonly nowMs: number
}

/** `GET /api/agents` */
export interface AgentsView {
  /** Windows of this person's clients with a running Assent. */
  readonly running: number
}

/** `GET /api/asks` and `GET /api/history` */
export interface AskPageView {
  readonly asks: readonly AskView[]
  /** Passed back as `cursor`; absent on the last page. */
  readonly next?: string
  /** Present if a page with filters stopped before it was full: asks before this time were not searched yet. */
  readonly searchedToMs?: number
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
  /** Where accepting needs a passkey. */
  readonly presence?: PresenceBody
}

/** The part of an answer that proves presence. */
export interface PresenceBody {
  /** From `POST /api/asks/{id}/presence`. */
  readonly token: string
  /** What the browser returned, as JSON: https://www.w3.org/TR/webauthn-3/#dictdef-authenticationresponsejson */
  readonly response: JsonObject
}

/** Options of WebAuthn as JSON, which the browser parses. */
export interface PasskeyRequestView {
  readonly challenge: string
  readonly rpId: string
  readonly timeout: number
  readonly userVerification: 'required'
  readonly allowCredentials: readonly { readonly type: 'public-key'; readonly id: string }[]
}

/** https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialcreationoptionsjson */
export type PasskeyCreationView = object

/** `POST /api/asks/{id}/presence`: the challenge for exactly this answer. */
export interface PresenceStartView {
  readonly token: string
  readonly request: PasskeyRequestView
}

/** `GET /api/passkeys` */
export interface PasskeysView {
  readonly keys: readonly PasskeyView[]
  /** Which decisions need a passkey here. */
  readonly presence: PresenceSetting
  /** What changed lately, as text, newest first. */
  readonly notices: readonly PresenceNoticeView[]
  readonly nowMs: number
}

export interface PasskeyView {
  readonly id: string
  readonly name: string
  readonly addedAtMs: number
  readonly lastUsedAtMs?: number
}

export interface PresenceNoticeView {
  readonly text: string
  readonly atMs: number
}

/** `POST /api/passkeys/start` */
export interface PasskeyAddStartView {
  readonly token: string
  readonly creation: PasskeyCreationView
  /** A key of the person has to authorise the new one: `POST /api/passkeys/authorise` comes next. */
  readonly needsAuthorisation?: true
}

/** The body of `POST /api/passkeys/authorise`: the new key and its name, which the signature will cover. */
export interface PasskeyAuthoriseBody {
  readonly token: string
  readonly name: string
  readonly credential: JsonObject
}

export interface PasskeyAuthoriseView {
  readonly request: PasskeyRequestView
}

/** The body of `POST /api/passkeys`. */
export interface PasskeyAddBody {
  readonly token: string
  readonly name: string
  /** What the browser returned for `creation`, as JSON. */
  readonly credential: JsonObject
  /** What it returned for the request of `POST /api/passkeys/authorise`. */
  readonly authorisation?: JsonObject
}

/** `POST /api/passkeys/{id}/remove/start` */
export interface PasskeyRemoveStartView {
  readonly token: string
  readonly request: PasskeyRequestView
}

/** The body of `POST /api/secrets/{page}`: a secret that only the asking server can read. */
export interface HandOverBody {
  /** As in `AnswerBody`. */
  readonly decisionId: string
  readonly sealed: SealedSecret
  /** Where accepting needs a passkey. */
  readonly presence?: PresenceBody
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
  /** Accepting it needs a passkey, or the one that was used is not accepted. The ask stays open. */
  | 'presence'
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

/** `GET /api/asks/{id}/proof`: the audit entries of one ask with their inclusion proofs, for export. */
export interface ProofView extends AuditProof {
  /** Whether the log is intact. A statement of this gateway, which the proof itself does not prove. */
  readonly chain: ChainView
  readonly nowMs: number
}

export type ChainView = { readonly checkedAtMs: number } & (
  | {
      readonly kind: 'whole'
      readonly lastSeq: number
      /** The root of the log's tree: hexadecimal. */
      readonly lastHash: string
      /** How many asks and grants were compared with the log. */
      readonly asks: number
      readonly grants: number
    }
  /** The entry that was changed, if it is known, and the problem. */
  | { readonly kind: 'broken'; readonly seq?: number; readonly problem: string }
  /** An ask or a grant in the database that does not match its entries or its signatures. */
  | { readonly kind: 'mismatch'; readonly problem: string }
  | { readonly kind: 'too-long' }
)

/** `GET /api/statistics` */
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
  /** By the policies that asked. An ask of several policies counts for each. */
  readonly policies: readonly PolicyStatistics[]
  /** By who decided: of several approvers, the one whose answer ended the ask. */
  readonly people: readonly PersonStatistics[]
  /** The programs and the folders that the counted asks came from: names, the most frequent first. */
  readonly agents: readonly string[]
  readonly projects: readonly string[]
  /** In intervals of whole days, oldest first, by when they were asked. */
  readonly trend: readonly TrendStatistics[]
}

export interface TrendStatistics extends AnswerStatistics {
  readonly fromMs: number
  readonly untilMs: number
}

export interface ToolStatistics extends AnswerStatistics {
  readonly server: string
  readonly tool?: string
}

export interface PolicyStatistics extends AnswerStatistics {
  readonly policy: string
  /** Every ask was approved within two seconds, and there were enough of them: they cannot have been read. */
  readonly isRubberStamp?: true
}

export interface PersonStatistics extends AnswerStatistics {
  readonly name: string
}

export interface AnswerStatistics {
  readonly yes: number
  readonly no: number
  /** Answered without a yes or a no: a choice, a text, a pause. */
  readonly answered: number
  /** Dismissed, expired, withdrawn, undeliverable, unseen. */
  readonly unanswered: number
  /** Half of the answers arrived within this time; absent without answers. */
  readonly medianMs?: number
}
