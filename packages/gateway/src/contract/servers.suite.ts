// Servers of both SDK generations over HTTP, in this process, that ask whatever a test tells them to ask.

import { randomUUID } from 'node:crypto'
import {
  createServer,
  type Server as HttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { Count, newestServer, olderServer } from './asking.suite.ts'
import { putAwayLater } from './stage.suite.ts'

export type Generation = '2025-11-25' | '2026-07-28'

export interface AskingServer {
  readonly url: string
  /** How often a call was begun, and how often one came to its end. */
  readonly begun: number
  readonly ended: number
  /** What each person who was asked said, as the server saw it. */
  readonly saw: readonly unknown[]
  /** Forgets its sessions, as a restart would. */
  forget(): void
}

export async function anAskingServer(generation: Generation): Promise<AskingServer> {
  const count = new Count()
  const listener = generation === '2025-11-25' ? olderListener(count) : newestListener(count)
  count.url = `${(await listening(createServer(listener))).url}/mcp`
  return count
}

/** A server on a free port that goes with the test. */
export async function listening(server: HttpServer): Promise<{ url: string }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  putAwayLater(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function olderListener(count: Count): RequestListener {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  count.forget = () => sessions.clear()
  return async (request, response) => {
    const id = request.headers['mcp-session-id']
    if (typeof id === 'string') {
      const known = sessions.get(id)
      if (known === undefined) response.writeHead(404).end()
      else await known.handleRequest(request, response)
      return
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => {
        sessions.set(session, transport)
      },
    })
    // The SDK's own class does not fit its own interface under exactOptionalPropertyTypes.
    await olderServer(count).connect(transport as Transport)
    await transport.handleRequest(request, response)
  }
}

function newestListener(count: Count): RequestListener {
  const handler = createMcpHandler(() => newestServer(count), { legacy: 'reject' })
  // Typed as Node's own listener: the SDK's is not, under exactOptionalPropertyTypes.
  return toNodeHandler(handler) as RequestListener
}

/** The official server of 2024-11-05's transport: a session for each event stream. */
export async function aLegacyServer(): Promise<{ url: string; headers: IncomingHttpHeaders[] }> {
  const headers: IncomingHttpHeaders[] = []
  const sessions = new Map<string, SSEServerTransport>()
  const open = async (response: ServerResponse) => {
    const transport = new SSEServerTransport('/messages', response)
    sessions.set(transport.sessionId, transport)
    await olderServer(new Count()).connect(transport)
  }
  const receive = async (message: IncomingMessage, response: ServerResponse) => {
    const id = new URL(message.url ?? '', 'http://localhost').searchParams.get('sessionId') ?? ''
    await sessions.get(id)?.handlePostMessage(message, response)
  }
  const { url } = await listening(
    createServer((message, response) => {
      headers.push(message.headers)
      const isStream = message.method === 'GET'
      if (!isStream && !message.url?.startsWith('/messages')) return void response.writeHead(404).end()
      return void (isStream ? open(response) : receive(message, response))
    }),
  )
  return { url, headers }
}
