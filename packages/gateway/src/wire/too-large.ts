// A message of a server that is larger than a message may be.
//
// It is not read. Its first or last bytes mostly say which request it answers: SDKs write the id at one end.

import { wireLimits } from '../limits.ts'
import type { Edges } from './lines.ts'

export class MessageTooLarge extends Error {
  constructor() {
    super(
      `The server sent a message of more than ${wireLimits.messageBytes} bytes. The setting limits.message_size sets this limit.`,
    )
    this.name = 'MessageTooLarge'
  }
}

const atHead = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/
const atTail = /"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/

/** The request that it answers, if its ends say so. */
export function idBetween({ head, tail }: Edges): number | undefined {
  const [, id] = atHead.exec(head) ?? atTail.exec(tail) ?? []
  return id === undefined ? undefined : Number(id)
}
