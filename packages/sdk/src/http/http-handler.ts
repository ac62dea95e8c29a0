// Serves clients of both generations at one address, as a function from `Request` to `Response`.
//
// Clients of 2026-07-28 send every request by itself. Older clients are asked during a call, over the connection of their
// session, so they get one: without it no question could reach them. Sessions belong to this process.
// The MCP SDK is an optional peer, loaded with the first request.
// Owns: the sessions. The one that was not used for the longest time is closed when there are too many.
// I1  A session is used by the person who opened it. To anyone else it does not exist.

import { randomUUID } from 'node:crypto'
import type {
  McpHandlerRequestOptions,
  McpHttpHandler,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { sdkLimits } from '../limits.ts'
import { type PrincipalOf, sessionOwnerOf } from '../server/principal.ts'

export interface HttpHandler {
  /** Serves one request: for Hono, Workers, Bun and Deno, and for Node with `toNodeHandler` of `@modelcontextprotocol/node`. */
  readonly fetch: (request: Request, options?: McpHandlerRequestOptions) => Promise<Response>
  /** Closes every session and ends the calls that are open. */
  readonly close: () => Promise<void>
}

export interface HttpHandlerOptions {
  /** Sessions of older clients that are open at once; 10,000 by default. */
  readonly maxSessions?: number
  /** Who the user of a session is, if `createAssent` has a `principal` too. It gets `{ http: { req, authInfo } }`. */
  readonly principal?: PrincipalOf
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly owner: string
}

interface Loaded {
  readonly mcp: typeof import('@modelcontextprotocol/server')
  readonly latest: McpHttpHandler
}

/** `newServer` creates a server with its tools: one for each session, and one for each request of 2026-07-28. */
export function httpHandler(
  newServer: () => McpServer | Promise<McpServer>,
  { maxSessions = sdkLimits.httpSessions, principal: chosen }: HttpHandlerOptions = {},
): HttpHandler {
  let loading: Promise<Loaded> | undefined
  const load = async (): Promise<Loaded> => {
    const mcp = await import('@modelcontextprotocol/server')
    return { mcp, latest: mcp.createMcpHandler(newServer, { legacy: 'reject' }) }
  }
  const loaded = (): Promise<Loaded> => {
    loading ??= load()
    return loading
  }
  // In the order of their last use.
  const sessions = new Map<string, Session>()

  const open = async ({ mcp }: Loaded, owner: string): Promise<Session> => {
    const transport = new mcp.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: async (id) => {
        sessions.set(id, session)
        const [oldest] = sessions
        if (sessions.size <= maxSessions || oldest === undefined) return
        sessions.delete(oldest[0])
        await oldest[1].transport.close()
      },
      onsessionclosed: (id) => void sessions.delete(id),
    })
    const session = { transport, owner }
    await (await newServer()).connect(transport)
    return session
  }

  const used = (id: string, owner: string): Session | undefined => {
    const session = sessions.get(id)
    if (session?.owner !== owner) return undefined
    sessions.delete(id)
    sessions.set(id, session)
    return session
  }

  return {
    fetch: async (request, options) => {
      const sdk = await loaded()
      if (!(await sdk.mcp.isLegacyRequest(request, options?.parsedBody))) return sdk.latest.fetch(request, options)
      const id = request.headers.get('mcp-session-id')
      const owner = sessionOwnerOf({ http: { req: request, authInfo: options?.authInfo } }, chosen)
      const session = id === null ? await open(sdk, owner) : used(id, owner)
      // The client then starts a new session.
      return session?.transport.handleRequest(request, options) ?? new Response('Unknown session.', { status: 404 })
    },
    close: async () => {
      if (loading !== undefined) await (await loading).latest.close()
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()))
      sessions.clear()
    },
  }
}
