// Plain HTTP in both directions: bodies with a limit, and headers.

import type { IncomingMessage } from 'node:http'
import { wireLimits } from '../limits.ts'
import { MessageTooLarge } from './too-large.ts'
import { textOf } from './utf8.ts'

/** Undefined when there is more than a message may have. Bytes that are not UTF-8 are no text, and no message is empty. */
export function readBody(stream: IncomingMessage): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const chunks: Buffer[] = []
  let bytes = 0
  // By events: iterating over a stream costs more than everything else that is done with most bodies.
  stream
    .on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= wireLimits.messageBytes) chunks.push(chunk)
      else resolve(undefined)
      // So far the rest is passed over, because whoever sends it reads no answer before it is done.
      if (bytes > wireLimits.messageBytes + wireLimits.passedOverBytes) stream.destroy()
    })
    .on('end', () => resolve(textOf(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)) ?? ''))
    .on('error', reject)
    .on('close', () => {
      if (!stream.complete) reject(new Error('The message broke off.'))
    })
  return promise
}

/** The same of a server: throws when there is more than a message may have. */
export async function readReply(response: IncomingMessage): Promise<string> {
  const body = await readBody(response)
  if (body === undefined) throw new MessageTooLarge()
  return body
}

/** Lets a connection be used again although nobody wants the rest. */
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
