// A message of a server that is larger than a message may be.

import { wireLimits } from '../limits.ts'

export class MessageTooLarge extends Error {
  constructor() {
    super(
      `The server sent a message of more than ${wireLimits.messageBytes} bytes. The setting limits.message_size sets this limit.`,
    )
    this.name = 'MessageTooLarge'
  }
}
