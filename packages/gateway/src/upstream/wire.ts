// A connection to a server that carries messages both ways, whatever lies underneath.

import type { Message } from '../wire/messages.ts'

export interface Wire {
  /** Resolves when the message is on its way; rejects when it cannot be. */
  send(message: Message): Promise<void>
  close(): void
}

export interface WireEvents {
  onMessage(message: Message): void
  /** Nothing more will come. */
  onClosed(reason: string): void
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
