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
      /** The call that asks, as it reached us; kept where the form is a decision about letting it go on. */
      readonly call?: AskingCall
    }
  | {
      readonly kind: 'url'
      readonly message: string
      readonly url: string
      /** The link is a page of ours where a secret is handed over. Then only that page can say yes. */
      readonly secret?: SecretPage
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
  readonly tool: string
  /** Absent where they are too large to be shown whole. */
  readonly arguments?: JsonObject
}
