// A bidirectional message connection to a server, independent of the transport.

import { oneLine } from '@assent/core'
import { NotSent } from '../call/model.ts'
import type { Message, RequestId } from '../protocol/messages.ts'

export interface Transport {
  /** Resolves when the message is sent; rejects when it cannot be, with `NotSent` if nothing of it was sent. */
  send(message: Message): Promise<void>
  close(): void
}

export interface TransportEvents {
  /** @param origin the request on whose stream it arrived; undefined when the transport does not know it */
  onMessage(message: Message, origin?: RequestId): void
  /** This request will get no reply; whether the server started it is unknown. Other requests may still get replies. */
  onUnanswered?(id: RequestId, reason: string): void
  /** No more messages will arrive. `neverStarted` when the process could not be started, so it received nothing. */
  onClosed(reason: string, neverStarted?: boolean): void
}

/** Thrown for a message to a server that has ended: nothing of it was sent, and another process can take it. */
export class TransportClosed extends NotSent {
  constructor() {
    super('The server has ended.')
    this.name = 'TransportClosed'
  }
}

const challengeChars = 200

/** A server refused a message with an HTTP status. */
export class TransportRefusal extends Error {
  readonly status: number
  readonly reply: Message | undefined

  /** @param challenge the `WWW-Authenticate` header of the response */
  constructor(status: number, reply: Message | undefined, challenge?: string) {
    const wants =
      challenge === undefined
        ? ''
        : ` WWW-Authenticate: ${oneLine(challenge, 'terminal', { maxChars: challengeChars })}`
    super(`The server answered with HTTP status ${status}.${wants}`)
    this.name = 'TransportRefusal'
    this.status = status
    this.reply = reply
  }
}
