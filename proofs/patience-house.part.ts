// A gateway with an inbox before a server of each generation, and a person at the inbox.

import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyRing } from '@assent/core'
import { openSqlite } from '@assent/store'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type Gateway, startGateway } from '../packages/gateway/src/index.ts'

export type Generation = '2025-11-25' | '2026-07-28'
export const personHeader = 'x-person'
export const released = 'Released.'

export interface House {
  readonly folder: string
  readonly urls: Readonly<Record<Generation, string>>
  /** How often a release really ran. */
  readonly runs: ReadonlyMap<string, number>
  /** The person says yes to everything that waits for anyone. */
  answerAll(): Promise<void>
  close(): Promise<void>
}

const longMs = 30 * 60_000
const question = {
  mode: 'form',
  message: 'Release it?',
  requestedSchema: { type: 'object', properties: { go: { type: 'boolean' } }, required: ['go'] },
} as const

export async function openHouse(): Promise<House> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-patience-'))
  const keys = createKeyRing([{ id: 'proof', secret: randomBytes(32) }])
  const store = await openSqlite(join(folder, 'assent.db'), { keys, clock: () => Date.now() })
  const people = new Set<string>()
  const runs = new Map<string, number>()
  const ran = (build: string) => runs.set(build, (runs.get(build) ?? 0) + 1)
  const servers = [await listening(olderListener(ran)), await listening(newestListener(ran))] as const
  const gatewayBefore = (server: Server) =>
    startGateway({
      listen: { host: '127.0.0.1', port: 0 },
      servers: { release: { url: urlOf(server) } },
      store,
      keys,
      askWaitMs: longMs,
      surfaces: ['client', 'inbox'],
      identify: ({ headers }) => {
        const principal = String(headers[personHeader])
        people.add(principal)
        return { principal, groups: [] }
      },
    })
  const gateways: Gateway[] = [await gatewayBefore(servers[0]), await gatewayBefore(servers[1])]
  return {
    folder,
    urls: { '2025-11-25': gateways[0]?.url ?? '', '2026-07-28': gateways[1]?.url ?? '' },
    runs,
    answerAll: async () => {
      for (const principal of people) {
        const person = { principal, groups: [] }
        const { asks } = await store.inbox.page({ tenant: 'default', person, show: 'open' })
        for (const { id } of asks) {
          const answer = { action: 'accept', content: { go: true } }
          await store.asks.answer({ tenant: 'default', id, person, via: 'inbox', answer })
        }
      }
    },
    close: async () => {
      for (const gateway of gateways) await gateway.close()
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
      await store.close()
    },
  }
}

function newestListener(ran: (build: string) => void): RequestListener {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'newest', version: '1' })
      server.registerTool('release', { inputSchema: z.object({ build: z.string() }) }, async ({ build }, ctx) => {
        if (ctx.mcpReq.inputResponses?.go === undefined) {
          return inputRequired({ inputRequests: { go: { method: 'elicitation/create', params: question } as never } })
        }
        ran(build)
        return { content: [{ type: 'text', text: released }] }
      })
      return server
    },
    { legacy: 'reject' },
  )
  return toNodeHandler(handler) as RequestListener
}

function olderListener(ran: (build: string) => void): RequestListener {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  return async (request, response) => {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (known !== undefined) return known.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => {
        sessions.set(session, transport)
      },
    })
    const server = new OlderServer({ name: 'older', version: '1' })
    server.registerTool('release', { inputSchema: { build: z.string() } }, async ({ build }) => {
      // The server, too, must be told to wait: its SDK would give up after a minute.
      const answer = await server.server.elicitInput(question as never, { timeout: longMs })
      if (answer.action !== 'accept') return { content: [{ type: 'text', text: `Not released: ${answer.action}.` }] }
      ran(build)
      return { content: [{ type: 'text', text: released }] }
    })
    // The SDK's own class does not fit its own interface under exactOptionalPropertyTypes.
    await server.connect(transport as Transport)
    await transport.handleRequest(request, response)
  }
}

async function listening(listener: RequestListener): Promise<Server> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}
