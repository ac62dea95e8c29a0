// A channel, and the result of one attempt to send a message through it.

import type { AskMessage } from './ask-message.ts'

export type SendResult =
  | { readonly ok: true }
  | {
      readonly ok: false
      /** For the log, in our words: no address and no secret. */
      readonly reason: string
      /** Another attempt would fail too. */
      readonly isFinal?: true
      /** The pause that the receiver requests. */
      readonly retryAfterMs?: number
    }

export interface Channel {
  /** @param address the address of a mail; webhooks have none */
  send(message: AskMessage, address: string | undefined, signal: AbortSignal): Promise<SendResult>
  close(): void
}
