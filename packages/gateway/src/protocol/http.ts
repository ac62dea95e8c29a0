// Plain HTTP in both directions: bodies with a limit, and headers.

import type { IncomingMessage } from 'node:http'
import { protocolLimits } from '../limits.ts'
import { MessageTooLarge } from './too-large.ts'
import { textOf } from './utf8.ts'

/**
 * Undefined for a body over the size limit. A body that is not UTF-8 becomes an empty string, which is not a message.
 */
export function readBody(stream: IncomingMessage): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const chunks: Buffer[] = []
  let bytes = 0
  // Events instead of `for await`, which costs more than all other work on a typical body.
  stream
    .on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= protocolLimits.messageBytes) chunks.push(chunk)
      else resolve(undefined)
      // Drain up to this limit, because the sender reads no response before it has sent everything.
      if (bytes > protocolLimits.messageBytes + protocolLimits.passedOverBytes) stream.destroy()
    })
    .on('end', () => resolve(textOf(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)) ?? ''))
    .on('error', reject)
    .on('close', () => {
      if (!stream.complete) reject(new Error('The message is incomplete.'))
    })
  return promise
}

/** Reads a server's body; throws when it is over the size limit. */
export async function readReply(response: IncomingMessage): Promise<string> {
  const body = await readBody(response)
  if (body === undefined) throw new MessageTooLarge()
  return body
}

/** Drains the rest of a response, so that its connection can be reused. */
export function discard(response: IncomingMessage): void {
  response.on('error', () => undefined).resume()
}

export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

export function mediaType(message: IncomingMessage): string {
  return (header(message, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}
