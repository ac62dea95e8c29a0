// What a person is asked: to fill in a form, to follow a link, or to approve one exact action.
//
// The text of the asker (`message`, `claim`) is data and is shown as a claim. An approval is drawn from its `action`,
// and the person's yes is bound to the digest of that action.

import type { Action } from '../digest/action.ts'
import type { Form } from '../form/form.ts'
import type { JsonObject } from '../json.ts'
import type { DeclaredAction } from './declared-action.ts'

export type Question =
  | {
      readonly kind: 'form'
      readonly message: string
      readonly form: Form
      /** What Assent checked itself: a paragraph of the message, as `checkedBlock` writes it. */
      readonly checked?: string
      /** The asker says that what follows a yes cannot be undone. */
      readonly isDestructive?: true
      /** The server declares the tool that asks as destructive (`destructiveHint`). */
      readonly isInDestructiveTool?: true
      /** The action that the server declares it runs after a yes. Only beside our decision form. */
      readonly declared?: DeclaredAction
      /** The call in which the server asks, as the client sent it. */
      readonly call?: AskingCall
      /** Instead of `call`: it is unknown in which of these calls the server asks. A yes to it approves none of them. */
      readonly oneOf?: readonly AskingCall[]
    }
  | {
      readonly kind: 'url'
      readonly message: string
      readonly url: string
      /** The link is our page for entering a secret. Then only that page can accept. */
      readonly secret?: SecretPage
      /** As for a form. */
      readonly call?: AskingCall
      readonly oneOf?: readonly AskingCall[]
    }
  | {
      readonly kind: 'approval'
      readonly title: string
      readonly action: Action
      /** Of `action`, made by us; see digest/action.ts. */
      readonly digest: string
      readonly claim?: string
      /** The names of the policies that require it. */
      readonly policies?: readonly string[]
      /** The digest of all policies that were in force when they required it. */
      readonly policySetDigest?: string
      /** A yes needs a comment that gives the reason. */
      readonly needsReason?: true
      /** A policy that requires it marks what it covers as destructive. */
      readonly isDestructive?: true
      /** The definition of the tool declares it as destructive (`destructiveHint`). */
      readonly isInDestructiveTool?: true
    }

/** The page where one secret is entered, and the key that it is encrypted for. */
export interface SecretPage {
  readonly page: string
  /** Of the asking server, for this page alone: base64url of an HPKE public key. */
  readonly publicKey: string
}

export interface AskingCall {
  /** What is called; a tool by default. */
  readonly kind?: 'prompt' | 'resource'
  /** The name of the tool or prompt, or the address of the resource. */
  readonly tool: string
  /** Absent if they are too large to be shown in full; a resource has none. */
  readonly arguments?: JsonObject
}
