// What a person is asked: to fill in a form, to follow a link, or to approve one exact action.
//
// The words of the asker (`message`, `claim`) are data to be shown as a claim; an approval is drawn from its `action`,
// whose digest is what the person's yes is bound to.

import type { Action } from '../digest/action.ts'
import type { Form } from '../form/form.ts'
import type { JsonObject } from '../json.ts'

export type Question =
  | {
      readonly kind: 'form'
      readonly message: string
      readonly form: Form
      /** What Assent checked itself: a paragraph of the message, as `checkedBlock` writes it. */
      readonly checked?: string
      /** The call in which the server asks, as the client sent it. */
      readonly call?: AskingCall
      /** Instead of `call`: the server did not say in which of these calls it asks. A yes to it approves none of them. */
      readonly oneOf?: readonly AskingCall[]
    }
  | {
      readonly kind: 'url'
      readonly message: string
      readonly url: string
      /** The link is a page of ours where a secret is handed over. Then only that page can say yes. */
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
    }

/** Where one secret is handed over, and whom it is encrypted for. */
export interface SecretPage {
  readonly page: string
  /** Of the asking server, for this page alone: base64url of an HPKE public key. */
  readonly publicKey: string
}

export interface AskingCall {
  /** What is called; a tool unless said. */
  readonly kind?: 'prompt' | 'resource'
  /** The name of the tool or prompt, or the address of the resource. */
  readonly tool: string
  /** Absent where they are too large to be shown whole; a resource has none. */
  readonly arguments?: JsonObject
}
