// Plain HTTP in both directions: bodies with a limit, requests over kept-alive connections.

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { wireLimits } from '../limits.ts'

const agents = {
  http: new HttpAgent({ keepAlive: true, noDelay: true, maxFreeSockets: 256 }),
  https: new HttpsAgent({ keepAlive: true, noDelay: true, maxFreeSockets: 256 }),
}

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers: OutgoingHttpHeaders
  readonly body?: string
  readonly signal?: AbortSignal
}

/** Resolves with the response as soon as its headers are there. Redirects are not followed. */
export function send(url: URL, { method, headers, body, signal }: HttpCall): Promise<IncomingMessage> {
  const isHttps = url.protocol === 'https:'
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  let response: IncomingMessage | undefined
  const request = (isHttps ? httpsRequest : httpRequest)(
    url,
    {
      method,
      agent: isHttps ? agents.https : agents.http,
      headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
    },
    (begun) => {
      response = begun
      resolve(begun)
    },
  )
  // Not by the option of that name: it would also break a connection that was given back for the next request, with an
  // error that nobody there expects.
  const abort = () => {
    if (response?.complete !== true) request.destroy()
  }
  signal?.addEventListener('abort', abort, { once: true })
  request.on('error', reject).on('close', () => signal?.removeEventListener('abort', abort))
  if (signal?.aborted === true) abort()
  request.end(body)
  return promise
}

/** Undefined when there is more than a message may have. */
export async function readBody(stream: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += (chunk as Buffer).length
    if (bytes > wireLimits.messageBytes) return undefined
    chunks.push(chunk as Buffer)
  }
  return (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString('utf8')
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
