// What the inbox's API says: the shapes its service writes and its web app reads.
//
// Types alone. Every text in them that came from an asker or from a person has been made safe to show already; the few
// values that must go back exactly as they came (field names, option values) are marked, and are never drawn.

import type { Answer } from '../ask/answer.ts'
import type { Surface, WithdrawReason } from '../ask/ask.ts'
import type { AnswerName, NamedOutcome, Verdict } from '../ask/person-answer.ts'
import type { AuditProof } from '../audit/proof.ts'
import type { ContentIssue } from '../form/check.ts'
import type { Content, TextFormat } from '../form/form.ts'
import type { ShownHost } from '../screen/host.ts'
import type { UrlWarning } from '../screen/host-warnings.ts'

export interface AskView {
  readonly id: string
  /** What is asked, on one line. */
  readonly headline: string
  readonly asker: AskerView
  /** On whose behalf the asking call runs. */
  readonly onBehalfOf: PersonView
  readonly question: QuestionView
  readonly raisedAtMs: number
  readonly decideByMs: number
  /** The server may stop waiting before `decideByMs`: its own timeout is unknown. */
  readonly mayEndEarlier?: true
  /** When a request of the caller last waited for the answer. */
  readonly callerSeenAtMs?: number
  /** Why it is asked again, in words: the client answered faster than a person can read. */
  readonly askedAgain?: string
  /** Where one answer does not decide. */
  readonly quorum?: QuorumView
  /** The answers that this person may still give. */
  readonly answers: readonly Answer['action'][]
  /** Who receives a comment beside the answer. */
  readonly commentReaches: 'asker' | 'audit-log'
  /** The text field of the form that serves as the comment: there is then no other box for one. Never drawn. */
  readonly commentField?: string
  readonly state: StateView
}

export interface AskerView {
  /** From our configuration, never what the server calls itself. */
  readonly server: string
  readonly tool?: string
  /** Where that name comes from, for example "configured by your team". */
  readonly origin?: string
  /** What its actions touch, and whether they can be undone, as the operator described it. */
  readonly touches?: string
  readonly undo?: 'possible' | 'impossible'
}

export interface PersonView {
  readonly name: string
  readonly isYou: boolean
}

export type QuestionView =
  | {
      readonly kind: 'form'
      readonly claim: string
      /** What Assent checked itself. It is not in the claim. */
      readonly checked?: string
      readonly fields: readonly FieldView[]
      /** Where the form has nothing but a yes and a no: it is drawn as an approval, and its fields are not. */
      readonly decision?: DecisionView
      /** The call in which the server asks. Absent for asks from before it was kept. */
      readonly call?: CallView
      /** Instead of `call`: the server did not say in which of these calls it asks. */
      readonly oneOf?: readonly CallView[]
    }
  | {
      readonly kind: 'url'
      readonly claim: string
      readonly link: LinkView
      /** The link is a page of ours: the secret can be handed over right here. */
      readonly secret?: SecretView
      /** As for a form. */
      readonly call?: CallView
      readonly oneOf?: readonly CallView[]
    }
  | {
      readonly kind: 'approval'
      readonly title: string
      readonly claim?: string
      /** The action, drawn from the same bytes that the digest names. */
      readonly action: { readonly server: string; readonly tool: string; readonly arguments: readonly DrawnValue[] }
      readonly json: string
      readonly digest: string
    }

/** What a browser needs to encrypt a secret for the asking server. All of it goes back exactly; none is drawn. */
export interface SecretView {
  readonly page: string
  readonly publicKey: string
  readonly server: string
  readonly principal: string
}

export interface DecisionView {
  /** What an accept carries; never drawn. */
  readonly content: Content
}

/** A call as the client sent it, drawn by Assent. */
export interface CallView {
  readonly kind: 'tool' | 'prompt' | 'resource'
  /** The name of the tool or prompt, or the address of the resource. */
  readonly name: string
  /** Absent where they are too large to be shown whole; empty for a resource. */
  readonly arguments?: readonly DrawnValue[]
  readonly json: string
}

export interface DrawnValue {
  readonly name: string
  readonly value: string
  /** Whether the value is one plain thing or a structure written as JSON. */
  readonly shape: 'plain' | 'json'
}

export type LinkView =
  | {
      readonly ok: true
      readonly url: string
      readonly host: Omit<ShownHost, 'kind'>
      readonly warnings: readonly UrlWarning[]
    }
  | { readonly ok: false; readonly reason: string }

interface FieldCommon {
  /** Goes back exactly; never drawn. */
  readonly name: string
  readonly label: string
  readonly help?: string
  readonly required: boolean
}

export interface TextFieldView extends FieldCommon {
  readonly kind: 'text'
  readonly format?: TextFormat
  readonly lines: 'one' | 'several'
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly suggestion?: string
  /** A suggestion with hidden characters: drawn, and not filled in. */
  readonly unsafeSuggestion?: string
}

export interface NumberFieldView extends FieldCommon {
  readonly kind: 'number'
  readonly integer: boolean
  readonly min?: number
  readonly max?: number
  /** Exclusive bounds. */
  readonly above?: number
  readonly below?: number
  readonly widget: 'plain' | 'slider' | 'rating'
  readonly suggestion?: number
}

export interface BooleanFieldView extends FieldCommon {
  readonly kind: 'boolean'
  readonly suggestion?: boolean
}

export interface OptionView {
  /** Goes back exactly; never drawn. */
  readonly value: string
  readonly label: string
  /** The value, made safe to show: where the label says yes and the value no, or the other way round. */
  readonly shownValue?: string
  /** Marked as suggested; never chosen for the person. */
  readonly isSuggested: boolean
}

export interface ChoiceFieldView extends FieldCommon {
  readonly kind: 'choice'
  readonly widget: 'cards' | 'search'
  readonly options: readonly OptionView[]
}

export interface ChoicesFieldView extends FieldCommon {
  readonly kind: 'choices'
  readonly options: readonly OptionView[]
  readonly minItems?: number
  readonly maxItems?: number
}

export interface ListFieldView extends FieldCommon {
  readonly kind: 'list'
  readonly minItems?: number
  readonly maxItems?: number
  readonly unique?: true
  readonly pattern?: string
  readonly suggestion?: readonly string[]
}

export type FieldView =
  | TextFieldView
  | NumberFieldView
  | BooleanFieldView
  | ChoiceFieldView
  | ChoicesFieldView
  | ListFieldView

export interface QuorumView {
  readonly approvals: number
  readonly approvalsNeeded: number
  readonly declines: number
  readonly declinesNeeded: number
  readonly votes: readonly VoteView[]
}

export interface VoteView {
  readonly by: PersonView
  readonly action: Answer['action']
  readonly via: Surface
  readonly atMs: number
  readonly comment?: string
}

export interface AnsweredAs {
  readonly name: AnswerName
  readonly verdict: Verdict
  /** In a word or two; for a choice, the label of the chosen option. */
  readonly text: string
}

/** `what` says in words what happened; when it happened is for the reader's own clock to say. */
export type StateView =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'settled'
      readonly what: string
      /** What the protocol calls the answer; a form that says No is `accepted`. */
      readonly outcome: 'accepted' | 'declined' | 'cancelled'
      /** What the person actually answered. */
      readonly answered: AnsweredAs
      readonly by: PersonView
      readonly via: Surface
      readonly atMs: number
      /** The server had stopped waiting, so the answer had no effect. `what` says so. */
      readonly isUndelivered?: true
      readonly comment?: string
      /** What was filled in. */
      readonly content: readonly { readonly label: string; readonly value: string }[]
    }
  | { readonly kind: 'expired'; readonly what: string; readonly atMs: number }
  | { readonly kind: 'withdrawn'; readonly what: string; readonly reason: WithdrawReason; readonly atMs: number }

/** `GET /api/sign-in`: how people sign in: by a link that works once, or with their account at an issuer, named by its host. */
export type SignInView = { readonly way: 'link' } | { readonly way: 'account'; readonly issuer: string }

/** `POST /api/sign-in` over plain http, where the session belongs to the key of one browser. */
export interface SignedInView {
  /** Names the session; it opens nothing without a signature. */
  readonly session: string
  /** What the listener proves itself with from now on. */
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
  /** The person was told that something in the answer looks like a secret, and sends it all the same. */
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

/** What came of an answer that counted. */
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
  /** What was filled in does not fit; `issues` says where. The ask stays open. */
  | 'invalid'
  /** Something in the answer looks like a secret: sent again with `confirmed: true` it counts. The ask stays open. */
  | 'looks-secret'
  /** Too late: `ask` and `message` say who settled it, how and when. */
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

/** One event of `GET /api/changes`: a hint to look again, in the order things happened. */
export interface ChangeView {
  readonly id: string
  readonly change: 'raised' | 'voted' | 'settled' | 'undelivered' | 'expired' | 'withdrawn'
}

/** `GET /api/asks/{id}/proof`: what the record says about one ask, to be carried away. */
export interface ProofView extends AuditProof {
  /** Whether the record it was taken from is whole; a statement of this gateway, which the proof itself does not show. */
  readonly chain: ChainView
  readonly nowMs: number
}

export type ChainView = { readonly checkedAtMs: number } & (
  | {
      readonly kind: 'whole'
      readonly lastSeq: number
      readonly lastHash: string
      /** Compared with it. */
      readonly asks: number
      readonly grants: number
      /** The latest checkpoint that is kept beside the record. */
      readonly checkpointSeq?: number
      readonly checkpointAtMs?: number
    }
  /** The entry that is not as it was written, and how that shows. */
  | { readonly kind: 'broken'; readonly seq: number; readonly problem: string }
  /** An ask or a grant in the database that does not match its entries or its signatures. */
  | { readonly kind: 'mismatch'; readonly problem: string }
  | { readonly kind: 'too-long' }
)

/** `GET /api/figures` */
export interface FiguresView {
  readonly nowMs: number
  readonly sinceMs: number
  readonly counted: number
  /** False when there were more than are counted; then these are the newest. */
  readonly complete: boolean
  readonly outcomes: readonly { readonly outcome: NamedOutcome; readonly count: number }[]
  /** Of all that were counted: answers that were a yes, and answers that were a no. */
  readonly yes: number
  readonly no: number
  /** How long people took where a person answered; the last has no upper bound. */
  readonly waits: readonly { readonly underMs?: number; readonly count: number }[]
  readonly medianMs?: number
  readonly tools: readonly ToolFigures[]
}

export interface ToolFigures {
  readonly server: string
  readonly tool?: string
  readonly yes: number
  readonly no: number
  /** Answered without a yes or a no: a choice, a text, a pause. */
  readonly answered: number
  /** Dismissed, expired, withdrawn, undeliverable, unseen. */
  readonly unanswered: number
}
