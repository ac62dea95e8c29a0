// A connection to a server that carries messages both ways, whatever lies underneath.

import type { Message } from '../wire/messages.ts'

export interface Wire {
  /** Resolves when the message is on its way; rejects when it cannot be, with `NotSent` where nothing of it has left. */
  send(message: Message): Promise<void>
  close(): void
}

export interface WireEvents {
  onMessage(message: Message): void
  /** Nothing more will come. `neverStarted` when there was no process at all, so that nothing was received. */
  onClosed(reason: string, neverStarted?: boolean): void
}

/** A server refused a message at the transport, before its protocol. */
export class WireRefusal extends Error {
  readonly status: number
  readonly reply: Message | undefined

  constructor(status: number, reply: Message | undefined) {
    super(`The server answered with HTTP status ${status}.`)
    this.name = 'WireRefusal'
    this.status = status
    this.reply = reply
  }
}
