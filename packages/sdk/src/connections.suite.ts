// Real clients and servers of both SDK generations, connected in every way in which a handler of ours can be called.
//
// Used by the tests next to it. The person is a function; everything between them and the handler is code of the SDKs.

import { InMemoryTransport as Memory2 } from '@modelcontextprotocol/client'
import { InMemoryTransport as Memory1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Transport as Transport1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { listen } from '../../../test-kit/listen.ts'
import { type ClientOptions, connectClient, type TestClient } from '../../../test-kit/mcp/client.ts'
import { connectOver, transportTo } from '../../../test-kit/mcp/client-2025-11-25.ts'
import { connectOver as connectOver2 } from '../../../test-kit/mcp/client-2026-07-28.ts'
import { serveSessions } from '../../../test-kit/mcp/serve-2025-11-25.ts'
import { serveRequests } from '../../../test-kit/mcp/serve-2026-07-28.ts'
import type { Assent } from './assent.ts'
import type { Interaction } from './interaction.ts'

export type ConnectedHandler = (args: { readonly env: string }, interaction: Interaction) => Promise<string>

/** A question as the client received it. */
export interface Question {
  readonly mode?: string
  readonly message: string
  readonly requestedSchema?: { readonly properties: Readonly<Record<string, unknown>> }
  readonly url?: string
}

export type Person = (question: Question, signal?: AbortSignal) => unknown

export interface ConnectionOptions {
  readonly assent: Assent
  readonly tools: Readonly<Record<string, ConnectedHandler>>
  readonly person: Person
  /** Forms and links by default. */
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

export interface ConnectionKind {
  readonly name: string
  readonly revision: '2025-06-18' | '2025-11-25' | '2026-07-28'
  /** The handler cannot find out which of the two 2025 revisions its client uses. */
  readonly isUnknown?: true
  open(options: ConnectionOptions): Promise<Caller>
}

const input = z.object({ env: z.string() })
const info = { name: 'staged', version: '1.0.0' }
const callTimeoutMs = 60_000

export const connectionKinds: readonly ConnectionKind[] = [
  { name: 'SDK 2 over HTTP', revision: '2026-07-28', open: sdk2OverHttp },
  { name: 'SDK 2 in memory', revision: '2025-11-25', open: (options) => sdk2InMemory(options, true) },
  {
    name: 'SDK 2 in memory, server not named',
    revision: '2025-11-25',
    isUnknown: true,
    open: (options) => sdk2InMemory(options, false),
  },
  {
    name: 'SDK 2 in memory, older',
    revision: '2025-06-18',
    open: (options) => sdk2InMemory(options, true, '2025-06-18'),
  },
  {
    name: 'SDK 2 in memory, server not named, older',
    revision: '2025-06-18',
    isUnknown: true,
    open: (options) => sdk2InMemory(options, false, '2025-06-18'),
  },
  { name: 'SDK 1 in memory', revision: '2025-11-25', open: (options) => sdk1InMemory(options) },
  { name: 'SDK 1 in memory, older', revision: '2025-06-18', open: (options) => sdk1InMemory(options, '2025-06-18') },
  { name: 'SDK 1 over HTTP', revision: '2025-11-25', open: (options) => sdk1OverHttp(options) },
  { name: 'SDK 1 over HTTP, older', revision: '2025-06-18', open: (options) => sdk1OverHttp(options, '2025-06-18') },
]

function server2({ assent, tools }: ConnectionOptions, isNamed = true): McpServer {
  const server = new McpServer(info)
  for (const [name, handler] of Object.entries(tools)) {
    const options = isNamed ? { name, server } : { name }
    server.registerTool(name, { inputSchema: input }, assent.interactive(handler, options))
  }
  return server
}

function server1({ assent, tools }: ConnectionOptions): McpServer1 {
  const server = new McpServer1(info)
  for (const [name, handler] of Object.entries(tools)) {
    server.registerTool(name, { inputSchema: input }, assent.interactive(handler, { name, server }))
  }
  return server
}

function optionsOf({ elicitation = { form: {}, url: {} }, person }: ConnectionOptions): ClientOptions {
  return {
    elicitation: elicitation ?? 'none',
    answer: (question, signal) => person(question, signal),
    timeoutMs: callTimeoutMs,
  }
}

async function sdk2OverHttp(options: ConnectionOptions): Promise<Caller> {
  const http = await listen(serveRequests(() => server2(options)))
  return caller(await connectClient('2026-07-28', { url: http.url }, optionsOf(options)), http.close)
}

async function sdk2InMemory(options: ConnectionOptions, isNamed: boolean, revision?: string): Promise<Caller> {
  const server = server2(options, isNamed)
  const [near, far] = Memory2.createLinkedPair()
  if (revision !== undefined) openWith(near as unknown as Transport1, revision)
  await server.connect(far)
  return caller(await connectOver2(near, { ...optionsOf(options), revision: '2025-11-25' }))
}

async function sdk1InMemory(options: ConnectionOptions, revision?: string): Promise<Caller> {
  const [near, far] = Memory1.createLinkedPair()
  if (revision !== undefined) openWith(near, revision)
  await server1(options).connect(far)
  return caller(await connectOver(near, optionsOf(options)))
}

async function sdk1OverHttp(options: ConnectionOptions, revision?: string): Promise<Caller> {
  const http = await listen(serveSessions(() => server1(options)).listener)
  const transport = transportTo({ url: http.url })
  if (revision !== undefined) openWith(transport, revision)
  return caller(await connectOver(transport, optionsOf(options)), http.close)
}

/** The SDK always opens with its newest revision, so an older client is this one with the date changed on the wire. */
function openWith(transport: Transport1, revision: string): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const isOpening = 'method' in message && message.method === 'initialize'
    return send(isOpening ? { ...message, params: { ...message.params, protocolVersion: revision } } : message, options)
  }
}

function caller(client: TestClient, close: () => Promise<void> = async () => undefined): Caller {
  return {
    call: async (tool, args = { env: 'test' }, options = {}) => {
      const result = await client.call(tool, args, options)
      return { text: result.content[0]?.text ?? '', isError: result.isError ?? false, meta: result._meta ?? {} }
    },
    close: async () => {
      await client.close()
      await close()
    },
  }
}
