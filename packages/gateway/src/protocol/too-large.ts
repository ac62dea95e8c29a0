// A server's message over the size limit.
//
// It is not parsed. Its first or last bytes usually contain the id of the request: SDKs write it at one end.

import { protocolLimits } from '../limits.ts'
import type { Edges } from './lines.ts'

export class MessageTooLarge extends Error {
  constructor() {
    super(
      `The server sent a message of more than ${protocolLimits.messageBytes} bytes. The setting limits.message_size sets this limit.`,
    )
    this.name = 'MessageTooLarge'
  }
}

const atHead = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/
const atTail = /"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/

/** The id of the request that it answers, if one of its ends contains it. */
export function idBetween({ head, tail }: Edges): number | undefined {
  const [, id] = atHead.exec(head) ?? atTail.exec(tail) ?? []
  return id === undefined ? undefined : Number(id)
}
