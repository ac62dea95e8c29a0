// Serves clients of both generations at one address, as a function from `Request` to `Response`.
//
// Clients of 2026-07-28 send every request by itself. Older clients are asked during a call, over the connection of their
// session, so they get one: without it no question could reach them. Sessions belong to this process.
// Owns: the sessions. The one that was not used for the longest time is closed when there are too many.

import { randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHandlerRequestOptions,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { sdkLimits } from '../limits.ts'

export interface HttpHandler {
  /** Serves one request: for Hono, Workers, Bun and Deno, and for Node with `toNodeHandler` of `@modelcontextprotocol/node`. */
  readonly fetch: (request: Request, options?: McpHandlerRequestOptions) => Promise<Response>
  /** Closes every session and ends the calls that are open. */
  readonly close: () => Promise<void>
}

export interface HttpHandlerOptions {
  /** Sessions of older clients that are open at once; 10,000 by default. */
  readonly maxSessions?: number
}

/** `newServer` creates a server with its tools: one for each session, and one for each request of 2026-07-28. */
export function httpHandler(
  newServer: () => McpServer | Promise<McpServer>,
  { maxSessions = sdkLimits.httpSessions }: HttpHandlerOptions = {},
): HttpHandler {
  const latest = createMcpHandler(newServer, { legacy: 'reject' })
  // In the order of their last use.
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: async (id) => {
        sessions.set(id, transport)
        const [oldest] = sessions
        if (sessions.size <= maxSessions || oldest === undefined) return
        sessions.delete(oldest[0])
        await oldest[1].close()
      },
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await (await newServer()).connect(transport)
    return transport
  }

  const used = (id: string): WebStandardStreamableHTTPServerTransport | undefined => {
    const transport = sessions.get(id)
    if (transport === undefined) return undefined
    sessions.delete(id)
    sessions.set(id, transport)
    return transport
  }

  return {
    fetch: async (request, options) => {
      if (!(await isLegacyRequest(request, options?.parsedBody))) return latest.fetch(request, options)
      const id = request.headers.get('mcp-session-id')
      const session = id === null ? await open() : used(id)
      // The client then starts a new session.
      return session?.handleRequest(request, options) ?? new Response('Unknown session.', { status: 404 })
    },
    close: async () => {
      await latest.close()
      await Promise.all([...sessions.values()].map((session) => session.close()))
      sessions.clear()
    },
  }
}
