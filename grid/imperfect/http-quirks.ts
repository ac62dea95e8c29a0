// Differences of HTTP servers from an ordinary one.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { conducts } from './conducts.ts'
import type { Conduct, Wire } from './ordinary.ts'

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The body of a POST. */
  readonly message?: Wire
  readonly path: string
  /** The number of POSTs before this one. */
  readonly posts: number
  /** The number of open sessions. */
  readonly sessions: number
}

type Handle = (exchange: Exchange) => Promise<boolean> | boolean

export interface HttpQuirk extends Conduct {
  /** Returns true if it has handled the request itself. */
  readonly handle?: Handle
  /** Writes a reply that is not a stream. */
  readonly write?: (response: ServerResponse, text: string) => Promise<void> | void
  /** What it writes for a message in a stream. */
  readonly event?: (message: Wire) => string
  /** Which replies come in a stream. */
  readonly streams?: (method: unknown) => boolean
  readonly hasNoSessions?: true
  readonly keepAliveMs?: number
  /** It uses the first HTTP transport (HTTP+SSE), with two addresses. */
  readonly isLegacySse?: true
  /** A session ends after this many requests. */
  readonly expiresAfter?: number
}

const json = { 'content-type': 'application/json' }
const never = () => false

function refuses(method: string, status: number): Handle {
  return ({ request, response }) => {
    if (request.method !== method) return false
    response.writeHead(status).end()
    return true
  }
}

function redirects(status: number): Handle {
  return ({ response, path }) => {
    if (path.endsWith('/')) return false
    response.writeHead(status, { location: `${path}/` }).end()
    return true
  }
}

async function inPieces(response: ServerResponse, text: string): Promise<void> {
  response.writeHead(200, json)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += 7) {
    response.write(bytes.subarray(at, at + 7))
    await new Promise((resolve) => setImmediate(resolve))
  }
  response.end()
}

const plainEvent = (message: Wire) => `event: message\ndata: ${JSON.stringify(message)}\n\n`
let events = 0

export const httpQuirks = {
  ...conducts,
  unauthorized: {
    handle: ({ response }) => {
      response
        .writeHead(401, { ...json, 'www-authenticate': 'Bearer error="invalid_token", realm="acme"' })
        .end('{"error":"invalid_token"}')
      return true
    },
  },
  'wrong content type': {
    streams: never,
    write: (response, text) => void response.writeHead(200, { 'content-type': 'text/plain' }).end(text),
  },
  'content type with charset': {
    streams: never,
    write: (response, text) =>
      void response.writeHead(200, { 'content-type': 'Application/JSON; Charset=UTF-8' }).end(text),
  },
  'closes idle connections': { keepAliveMs: 20 },
  'closes every connection': {
    streams: never,
    write: (response, text) => {
      const bytes = Buffer.from(text)
      response.writeHead(200, { ...json, 'content-length': bytes.length, connection: 'keep-alive' })
      response.end(bytes, () => setTimeout(() => response.socket?.destroy(), 5))
    },
  },
  'slow headers': {
    handle: async ({ message }) => {
      if (message?.method === 'tools/call') await sleep(3_000)
      return false
    },
  },
  'json in pieces': { streams: never, write: inPieces },
  'json with bom': {
    streams: never,
    write: (response, text) => void response.writeHead(200, json).end(`\uFEFF${text}`),
  },
  'redirects with 307': { handle: redirects(307) },
  'redirects with 308': { handle: redirects(308) },
  'session expires': { expiresAfter: 3 },
  'refuses DELETE': { handle: refuses('DELETE', 405) },
  'refuses GET': { handle: refuses('GET', 405) },
  'GET without headers': {
    // Like a hand-written server that sends the headers only with its first event.
    handle: ({ request, response }) => {
      if (request.method !== 'GET') return false
      response.setHeader('content-type', 'text/event-stream')
      return true
    },
  },
  'noisy stream': {
    event: (message) => {
      events += 1
      const data = JSON.stringify(message, undefined, 1).replaceAll('\n', '\r\ndata: ')
      return `: keep-alive\r\n\r\nretry: 500\r\nid: ${events}\r\nevent: message\r\ndata: ${data}\r\n\r\n:\r\n\r\n`
    },
  },
  'only json': { streams: never, handle: refuses('GET', 405) },
  'everything in streams': { streams: () => true },
  'no sessions': { hasNoSessions: true },
  'one session only': {
    handle: ({ message, response, sessions }) => {
      if (message?.method !== 'initialize' || sessions === 0) return false
      const error = { code: -32_600, message: 'Invalid Request: Server already initialized' }
      response.writeHead(400, json).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }))
      return true
    },
  },
  'notifies in the stream of initialize': {
    ...conducts['notifies before it is open'],
    streams: () => true,
  },
  'notifications get 200': {
    handle: ({ message, response }) => {
      if (message === undefined || message.id !== undefined) return false
      response.writeHead(200, json).end('{}')
      return true
    },
  },
  'errors with status 500': {
    streams: never,
    write: (response, text) => void response.writeHead('error' in JSON.parse(text) ? 500 : 200, json).end(text),
  },
  'answers in a batch': {
    revision: '2025-03-26',
    streams: never,
    write: (response, text) => void response.writeHead(200, json).end(`[${text}]`),
  },
  'first HTTP transport': { revision: '2024-11-05', isLegacySse: true },
  'newest with charset': {
    isNewest: true,
    streams: never,
    write: (response, text) =>
      void response.writeHead(200, { 'content-type': 'application/json;charset=utf-8' }).end(text),
  },
  'newest in pieces': { isNewest: true, streams: never, write: inPieces },
  'newest closes idle connections': { isNewest: true, keepAliveMs: 20 },
  'newest redirects with 307': { isNewest: true, handle: redirects(307) },
} as const satisfies Readonly<Record<string, HttpQuirk>>

export type HttpQuirkName = keyof typeof httpQuirks
export const httpQuirkOf = (name: string): HttpQuirk => httpQuirks[name as HttpQuirkName]
export const eventOf = (quirk: HttpQuirk, message: Wire): string => (quirk.event ?? plainEvent)(message)
