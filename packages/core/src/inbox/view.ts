// What the inbox's API says: the shapes its service writes and its web app reads.
//
// Types alone. Every text in them that came from an asker or from a person has been made safe to show already; the few
// values that must go back exactly as they came (field names, option values) are marked, and are never drawn.

import type { Answer } from '../ask/answer.ts'
import type { Surface, WithdrawReason } from '../ask/ask.ts'
import type { AskOutcome } from '../ask/outcome.ts'
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
  /** Where one answer does not decide. */
  readonly quorum?: QuorumView
  /** The answers that this person may still give. */
  readonly answers: readonly Answer['action'][]
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
      readonly fields: readonly FieldView[]
      /** Where the form has nothing but a yes and a no: it is drawn as an approval, and its fields are not. */
      readonly decision?: DecisionView
    }
  | { readonly kind: 'url'; readonly claim: string; readonly link: LinkView }
  | {
      readonly kind: 'approval'
      readonly title: string
      readonly claim?: string
      /** The action, drawn from the same bytes that the digest names. */
      readonly action: { readonly server: string; readonly tool: string; readonly arguments: readonly DrawnValue[] }
      readonly json: string
      readonly digest: string
    }

export interface DecisionView {
  /** What an accept carries; never drawn. */
  readonly content: Content
  /** The call that asks whether it may go on: what we know of what will happen. */
  readonly call?: {
    readonly tool: string
    /** Absent where they are too large to be shown whole. */
    readonly arguments?: readonly DrawnValue[]
    readonly json: string
  }
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
  readonly suggestion?: string
  /** A suggestion with hidden characters: drawn, and not filled in. */
  readonly unsafeSuggestion?: string
}

export interface NumberFieldView extends FieldCommon {
  readonly kind: 'number'
  readonly integer: boolean
  readonly min?: number
  readonly max?: number
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

export type FieldView = TextFieldView | NumberFieldView | BooleanFieldView | ChoiceFieldView | ChoicesFieldView

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

/** `what` says in words what happened; when it happened is for the reader's own clock to say. */
export type StateView =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'settled'
      readonly what: string
      readonly outcome: 'accepted' | 'declined' | 'cancelled'
      readonly by: PersonView
      readonly via: Surface
      readonly atMs: number
      readonly comment?: string
      /** What was filled in. */
      readonly content: readonly { readonly label: string; readonly value: string }[]
    }
  | { readonly kind: 'expired'; readonly what: string; readonly atMs: number }
  | { readonly kind: 'withdrawn'; readonly what: string; readonly reason: WithdrawReason; readonly atMs: number }

/** `GET /api/sign-in`: how people sign in: by a link that works once, or with their account at an issuer, named by its host. */
export type SignInView = { readonly way: 'link' } | { readonly way: 'account'; readonly issuer: string }

export interface LoginStartView {
  /** Where to go to sign in. */
  readonly url: string
}

/** `GET /api/me` */
export interface MeView {
  readonly name: string
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
}

/** What came of an answer that counted. */
export interface AnsweredView extends OneAskView {
  readonly result: 'settled' | 'counted'
}

export type InboxProblemCode =
  | 'not-found'
  | 'signed-out'
  | 'refused'
  | 'malformed'
  | 'too-large'
  | 'too-many'
  /** What was filled in does not fit; `issues` says where. The ask stays open. */
  | 'invalid'
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
  readonly change: 'raised' | 'voted' | 'settled' | 'expired' | 'withdrawn'
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
      /** The latest checkpoint that is kept beside the record. */
      readonly checkpointSeq?: number
      readonly checkpointAtMs?: number
    }
  /** The entry that is not as it was written, and how that shows. */
  | { readonly kind: 'broken'; readonly seq: number; readonly problem: string }
  | { readonly kind: 'too-long' }
)

/** `GET /api/figures` */
export interface FiguresView {
  readonly nowMs: number
  readonly sinceMs: number
  readonly counted: number
  /** False when there were more than are counted; then these are the newest. */
  readonly complete: boolean
  readonly outcomes: readonly { readonly outcome: AskOutcome; readonly count: number }[]
  /** How long people took where a person answered; the last has no upper bound. */
  readonly waits: readonly { readonly underMs?: number; readonly count: number }[]
  readonly medianMs?: number
  readonly tools: readonly ToolFigures[]
}

export interface ToolFigures {
  readonly server: string
  readonly tool?: string
  readonly approved: number
  readonly declined: number
  /** Dismissed, expired, withdrawn, undeliverable, unseen. */
  readonly other: number
}
