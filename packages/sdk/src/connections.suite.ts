// Real clients and servers of both SDK generations, joined in every way that a handler of ours can be called.
//
// Run by the tests beside it. The person is a function; everything between them and the handler is the SDKs' own.

import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
  InMemoryTransport as Memory2,
} from '@modelcontextprotocol/client'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport as Memory1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport as Transport1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Assent } from './assent.ts'
import type { Interaction } from './interaction.ts'

export type Handler = (args: { readonly env: string }, interaction: Interaction) => Promise<string>

/** What a client was asked, as it came over the wire. */
export interface Question {
  readonly mode?: string
  readonly message: string
  readonly requestedSchema?: { readonly properties: Readonly<Record<string, unknown>> }
  readonly url?: string
}

export type Person = (question: Question, signal?: AbortSignal) => unknown

export interface Staging {
  readonly assent: Assent
  readonly tools: Readonly<Record<string, Handler>>
  readonly person: Person
  /** Unless said, forms and links. */
  readonly elicitation?: object | null
}

export interface Result {
  readonly text: string
  readonly isError: boolean
  readonly meta: Readonly<Record<string, unknown>>
}

export interface Caller {
  call(tool: string, args?: { env: string }, options?: CallOptions): Promise<Result>
  close(): Promise<void>
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { progress: number }) => void
}

export interface Way {
  readonly name: string
  readonly revision: '2025-06-18' | '2025-11-25' | '2026-07-28'
  /** Nothing tells the handler which of the two revisions of 2025 its client speaks. */
  readonly isUnknown?: true
  open(staging: Staging): Promise<Caller>
}

const input = z.object({ env: z.string() })
const info = { name: 'staged', version: '1.0.0' }
const patienceMs = 60_000

export const ways: readonly Way[] = [
  { name: 'SDK 2 over HTTP', revision: '2026-07-28', open: sdk2OverHttp },
  { name: 'SDK 2 in memory', revision: '2025-11-25', open: (staging) => sdk2InMemory(staging, true) },
  {
    name: 'SDK 2 in memory, server not named',
    revision: '2025-11-25',
    isUnknown: true,
    open: (staging) => sdk2InMemory(staging, false),
  },
  {
    name: 'SDK 2 in memory, older',
    revision: '2025-06-18',
    open: (staging) => sdk2InMemory(staging, true, '2025-06-18'),
  },
  {
    name: 'SDK 2 in memory, server not named, older',
    revision: '2025-06-18',
    isUnknown: true,
    open: (staging) => sdk2InMemory(staging, false, '2025-06-18'),
  },
  { name: 'SDK 1 in memory', revision: '2025-11-25', open: (staging) => sdk1InMemory(staging) },
  { name: 'SDK 1 in memory, older', revision: '2025-06-18', open: (staging) => sdk1InMemory(staging, '2025-06-18') },
  { name: 'SDK 1 over HTTP', revision: '2025-11-25', open: (staging) => sdk1OverHttp(staging) },
  { name: 'SDK 1 over HTTP, older', revision: '2025-06-18', open: (staging) => sdk1OverHttp(staging, '2025-06-18') },
]

function server2({ assent, tools }: Staging, isNamed = true): McpServer {
  const server = new McpServer(info)
  for (const [name, handler] of Object.entries(tools)) {
    const options = isNamed ? { name, server } : { name }
    server.registerTool(name, { inputSchema: input }, assent.interactive(handler, options))
  }
  return server
}

function server1({ assent, tools }: Staging): McpServer1 {
  const server = new McpServer1(info)
  for (const [name, handler] of Object.entries(tools)) {
    server.registerTool(name, { inputSchema: input }, assent.interactive(handler, { name, server }))
  }
  return server
}

function capabilities({ elicitation = { form: {}, url: {} } }: Staging): object {
  return elicitation === null ? {} : { elicitation }
}

async function sdk2OverHttp(staging: Staging): Promise<Caller> {
  const handler = createMcpHandler(() => server2(staging), { legacy: 'reject' })
  const http = await listening(toNodeHandler(handler) as RequestListener)
  const client = new Client2(info, {
    capabilities: capabilities(staging),
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  })
  if (staging.elicitation !== null) {
    client.setRequestHandler(
      'elicitation/create',
      async ({ params }, { mcpReq }) => staging.person(params as Question, mcpReq.signal) as never,
    )
  }
  await client.connect(new Http2(new URL(http.url)))
  return caller(client2Calls(client), async () => {
    await client.close()
    await http.close()
  })
}

async function sdk2InMemory(staging: Staging, isNamed: boolean, revision?: string): Promise<Caller> {
  const server = server2(staging, isNamed)
  const [near, far] = Memory2.createLinkedPair()
  if (revision !== undefined) openWith(near as unknown as Transport1, revision)
  await server.connect(far)
  const client = new Client2(info, { capabilities: capabilities(staging) })
  if (staging.elicitation !== null) {
    client.setRequestHandler(
      'elicitation/create',
      async ({ params }, { mcpReq }) => staging.person(params as Question, mcpReq.signal) as never,
    )
  }
  await client.connect(near)
  return caller(client2Calls(client), () => client.close())
}

async function sdk1InMemory(staging: Staging, revision?: string): Promise<Caller> {
  const [near, far] = Memory1.createLinkedPair()
  if (revision !== undefined) openWith(near, revision)
  await server1(staging).connect(far)
  const client = client1(staging)
  await client.connect(near)
  return caller(client1Calls(client), () => client.close())
}

async function sdk1OverHttp(staging: Staging, revision?: string): Promise<Caller> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const http = await listening((request, response) => {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (known !== undefined) {
      void known.handleRequest(request, response)
      return
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (sessionId) => void sessions.set(sessionId, transport),
    })
    // The SDK's own class does not fit its own interface under exactOptionalPropertyTypes.
    void server1(staging)
      .connect(transport as Transport1)
      .then(() => transport.handleRequest(request, response))
  })
  const client = client1(staging)
  const transport = new Http1(new URL(http.url)) as Transport1
  if (revision !== undefined) openWith(transport, revision)
  await client.connect(transport)
  return caller(client1Calls(client), async () => {
    await client.close()
    await http.close()
  })
}

/** The SDK always opens with its newest revision, so an older client is this one with the date changed on the wire. */
function openWith(transport: Transport1, revision: string): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const isOpening = 'method' in message && message.method === 'initialize'
    return send(isOpening ? { ...message, params: { ...message.params, protocolVersion: revision } } : message, options)
  }
}

function client1(staging: Staging): Client1 {
  const client = new Client1(info, { capabilities: capabilities(staging) })
  if (staging.elicitation !== null) {
    client.setRequestHandler(
      ElicitRequestSchema,
      async ({ params }, { signal }) => staging.person(params as Question, signal) as never,
    )
  }
  return client
}

type Calls = (tool: string, args: { env: string }, options: CallOptions) => Promise<unknown>

function client1Calls(client: Client1): Calls {
  return (name, args, options) =>
    client.callTool({ name, arguments: args }, undefined, { timeout: patienceMs, ...options })
}

function client2Calls(client: Client2): Calls {
  return (name, args, options) => client.callTool({ name, arguments: args }, { timeout: patienceMs, ...options })
}

function caller(calls: Calls, close: () => Promise<void>): Caller {
  return {
    call: async (tool, args = { env: 'test' }, options = {}) => {
      const result = (await calls(tool, args, options)) as {
        content: { text: string }[]
        isError?: boolean
        _meta?: Record<string, unknown>
      }
      return { text: result.content[0]?.text ?? '', isError: result.isError ?? false, meta: result._meta ?? {} }
    },
    close,
  }
}

async function listening(listener: RequestListener): Promise<{ url: string; close: () => Promise<void> }> {
  const http = createHttpServer(listener)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections()
        http.close(() => resolve())
      }),
  }
}
