// A connection to a server that carries messages both ways, whatever lies underneath.

import { oneLine } from '@assent/core'
import { NotSent } from '../relay/exchange.ts'
import type { Message, RequestId } from '../wire/messages.ts'

export interface Wire {
  /** Resolves when the message is on its way; rejects when it cannot be, with `NotSent` where nothing of it has left. */
  send(message: Message): Promise<void>
  close(): void
}

export interface WireEvents {
  /** @param origin the request on whose own stream it came; undefined where the transport does not say */
  onMessage(message: Message, origin?: RequestId): void
  /** This request will get no answer; whether the server began it is not known. Others may still get theirs. */
  onUnanswered?(id: RequestId, reason: string): void
  /** Nothing more will come. `neverStarted` when there was no process at all, so that nothing was received. */
  onClosed(reason: string, neverStarted?: boolean): void
}

/** Thrown for a message to a server that has ended: nothing of it was sent, and another process can take it. */
export class WireEnded extends NotSent {
  constructor() {
    super('The server has ended.')
    this.name = 'WireEnded'
  }
}

const challengeChars = 200

/** A server refused a message at the transport, before its protocol. */
export class WireRefusal extends Error {
  readonly status: number
  readonly reply: Message | undefined

  /** @param challenge what the server says about how to sign in: `WWW-Authenticate` */
  constructor(status: number, reply: Message | undefined, challenge?: string) {
    const wants =
      challenge === undefined
        ? ''
        : ` WWW-Authenticate: ${oneLine(challenge, 'terminal', { maxChars: challengeChars })}`
    super(`The server answered with HTTP status ${status}.${wants}`)
    this.name = 'WireRefusal'
    this.status = status
    this.reply = reply
  }
}
