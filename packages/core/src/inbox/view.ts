// An ask as the inbox shows it, written by the gateway and read by the web app. api.ts has the requests and responses.
//
// Every text from an asker or a person is already safe to show. The few values that are sent back unchanged (field names,
// option values) are marked and never shown.

import type { Answer } from '../ask/answer.ts'
import type { AskCaller, Surface, WithdrawReason } from '../ask/ask.ts'
import type { AnswerName, Verdict } from '../ask/person-answer.ts'
import type { Content, TextFormat } from '../form/form.ts'
import type { ShownHost } from '../screen/host.ts'
import type { UrlWarning } from '../screen/host-warnings.ts'

export interface AskView {
  readonly id: string
  /** What is asked, on one line. */
  readonly headline: string
  readonly asker: AskerView
  /** The program whose call asks, and where it works; from the process that serves it. */
  readonly caller?: AskCaller
  /** On whose behalf the asking call runs. */
  readonly onBehalfOf: PersonView
  readonly question: QuestionView
  readonly raisedAtMs: number
  readonly decideByMs: number
  /** The server may stop waiting before `decideByMs`: its own timeout is unknown. */
  readonly mayEndEarlier?: true
  /** When a request of the caller last waited for the answer. */
  readonly callerSeenAtMs?: number
  /** Why it is asked again, as text: the client answered faster than a person can read. */
  readonly askedAgain?: string
  /** Where one answer does not decide. */
  readonly quorum?: QuorumView
  /** The answers that this person may still give. */
  readonly answers: readonly Answer['action'][]
  /** The answers that have a button of their own; the others are in a menu. */
  readonly buttons: readonly ButtonView[]
  /** How long a yes is held before it is sent, so that the person can undo it. Absent: it is sent at once. */
  readonly undoMs?: number
  /** Accepting it needs a passkey. */
  readonly needsPresence?: true
  /** Who receives a comment beside the answer. */
  readonly commentReaches: 'asker' | 'audit-log'
  /** The name of the form's text field that serves as the comment, in place of a separate comment box. Never shown. */
  readonly commentField?: string
  readonly state: StateView
}

/** One press sends this answer. */
export interface ButtonView {
  readonly label: string
  /** The value that is sent, made safe to show, where the label means yes and the value no, or the other way round. */
  readonly shownValue?: string
  /** What the answer means to the asker, for the look of the button. */
  readonly verdict: Verdict
  /** On the keyboard. */
  readonly key?: string
  /** Marked as suggested; never chosen for the person. */
  readonly isSuggested?: true
  /** Sends what was filled into the form as well. */
  readonly fillsIn?: true
  /** Sent back unchanged; never shown. */
  readonly answer: { readonly action: Answer['action']; readonly content?: Content }
}

export interface AskerView {
  /** From our configuration, never what the server calls itself. */
  readonly server: string
  readonly tool?: string
  /** The asker is the agent itself, through Assent's own tools, and not another server. */
  readonly isAgent?: true
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
      /** The asker says that what follows a yes cannot be undone. */
      readonly isDestructive?: true
      /** The definition of the tool that asks declares it as destructive. */
      readonly isInDestructiveTool?: true
      /** Set when the form is only a yes or a no: it is drawn as an approval, without its fields. */
      readonly decision?: DecisionView
      /** A yes is called an approval. */
      readonly isApproval?: true
      /** The action that the server declares, beside `decision`: it is drawn in place of the call and the message. */
      readonly declared?: DeclaredView
      /** The call in which the server asks. Absent if it is not stored. */
      readonly call?: CallView
      /** Instead of `call`: it is unknown in which of these calls the server asks. */
      readonly oneOf?: readonly CallView[]
    }
  | {
      readonly kind: 'url'
      readonly claim: string
      readonly link: LinkView
      /** The link is our page for a secret: it can be entered right here. */
      readonly secret?: SecretView
      /** As for a form. */
      readonly call?: CallView
      readonly oneOf?: readonly CallView[]
    }
  | {
      readonly kind: 'approval'
      readonly title: string
      readonly claim?: string
      /** The action, drawn from the same value that the digest covers. */
      readonly action: {
        /** What is called; a tool by default. */
        readonly kind?: 'prompt' | 'resource' | 'definition'
        readonly server: string
        readonly tool: string
        readonly arguments: readonly DrawnValue[]
      }
      readonly json: string
      readonly digest: string
      /** The names of the policies that require the approval. */
      readonly policies?: readonly string[]
      /** A yes needs a comment that gives the reason. */
      readonly needsReason?: true
      /** A policy that requires it marks what it covers as destructive. */
      readonly isDestructive?: true
      /** The definition of the tool declares it as destructive. */
      readonly isInDestructiveTool?: true
    }

/** What a browser needs to encrypt a secret for the asking server. It is sent back unchanged and never shown. */
export interface SecretView {
  readonly page: string
  readonly publicKey: string
  readonly server: string
  readonly principal: string
}

export interface DecisionView {
  /** The content of an accept; never shown. */
  readonly content: Content
}

/** The action that a server declares it runs after a yes, drawn from the value that the digest covers. */
export interface DeclaredView {
  readonly title: string
  readonly tool: string
  readonly arguments: readonly DrawnValue[]
  readonly json: string
  readonly digest: string
  /** It is exactly the call in which the server asks. */
  readonly isCall?: true
}

/** A call as the client sent it, drawn by Assent. */
export interface CallView {
  readonly kind: 'tool' | 'prompt' | 'resource'
  /** The name of the tool or prompt, or the address of the resource. */
  readonly name: string
  /** Absent if they are too large to be shown in full; empty for a resource. */
  readonly arguments?: readonly DrawnValue[]
  readonly json: string
}

export interface DrawnValue {
  readonly name: string
  readonly value: string
  /** Whether the value is plain text or a structure written as JSON. */
  readonly shape: 'plain' | 'json'
}

export type LinkView =
  | {
      readonly ok: true
      readonly url: string
      readonly host: Omit<ShownHost, 'kind'>
      readonly warnings: readonly UrlWarning[]
    }
  /** `address` is text to read, never a link. */
  | { readonly ok: false; readonly reason: string; readonly address: string }

interface FieldCommon {
  /** Sent back unchanged; never shown. */
  readonly name: string
  readonly label: string
  /** The asker gave the field no title: `label` is made from its name. */
  readonly isUntitled?: true
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
  /** A suggestion with hidden characters: shown, but not filled in. */
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
  /** Sent back unchanged; never shown. */
  readonly value: string
  readonly label: string
  /** The value, made safe to show: where the label means yes and the value no, or the other way round. */
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
  /** Which approvals are needed, and from whom, in words. */
  readonly needs: string
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
  /** One or two words; for a choice, the label of the chosen option. */
  readonly text: string
}

/** `what` is a text for people. It has no time, which the reader's own clock formats. */
export type StateView =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'settled'
      readonly what: string
      /** What the protocol calls the answer; a form with the answer No is `accepted`. */
      readonly outcome: 'accepted' | 'declined' | 'cancelled'
      /** What the person actually answered. */
      readonly answered: AnsweredAs
      readonly by: PersonView
      readonly via: Surface
      readonly atMs: number
      /** The server had stopped waiting, so the answer had no effect. `what` includes this. */
      readonly isUndelivered?: true
      readonly comment?: string
      /** What was filled in. */
      readonly content: readonly { readonly label: string; readonly value: string }[]
    }
  | { readonly kind: 'expired'; readonly what: string; readonly atMs: number }
  | { readonly kind: 'withdrawn'; readonly what: string; readonly reason: WithdrawReason; readonly atMs: number }
