// A gateway with an inbox and a server of each generation, and a person at the inbox.

import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type Gateway, startGateway } from '../../packages/gateway/src/index.ts'
import { type Listening, listen } from '../../test-kit/listen.ts'
import { serveSessions } from '../../test-kit/mcp/serve-2025-11-25.ts'
import { serveRequests } from '../../test-kit/mcp/serve-2026-07-28.ts'
import { openTestStore } from '../../test-kit/store/open.ts'

export type Generation = '2025-11-25' | '2026-07-28'
export const personHeader = 'x-person'
export const released = 'Released.'

export interface TestEnv {
  readonly urls: Readonly<Record<Generation, string>>
  /** How often a release really ran. */
  readonly runs: ReadonlyMap<string, number>
  /** The person accepts all open asks. */
  answerAll(): Promise<void>
  close(): Promise<void>
}

const longMs = 30 * 60_000
const question = {
  mode: 'form',
  message: 'Release it?',
  requestedSchema: { type: 'object', properties: { go: { type: 'boolean' } }, required: ['go'] },
} as const

export async function openTestEnv(): Promise<TestEnv> {
  const { store, keys, close } = await openTestStore({ clock: () => Date.now() })
  const people = new Set<string>()
  const runs = new Map<string, number>()
  const ran = (build: string) => runs.set(build, (runs.get(build) ?? 0) + 1)
  const servers = [
    await listen(serveSessions(() => server2025(ran)).listener),
    await listen(serveRequests(() => server2026(ran))),
  ] as const
  const gatewayBefore = ({ url }: Listening) =>
    startGateway({
      listen: { host: '127.0.0.1', port: 0 },
      servers: { release: { url } },
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
      for (const server of servers) await server.close()
      await close()
    },
  }
}

function server2026(ran: (build: string) => void): McpServer {
  const server = new McpServer({ name: 'newest', version: '1' })
  server.registerTool('release', { inputSchema: z.object({ build: z.string() }) }, async ({ build }, ctx) => {
    if (ctx.mcpReq.inputResponses?.go === undefined) {
      return inputRequired({ inputRequests: { go: { method: 'elicitation/create', params: question } as never } })
    }
    ran(build)
    return { content: [{ type: 'text', text: released }] }
  })
  return server
}

function server2025(ran: (build: string) => void): OlderServer {
  const server = new OlderServer({ name: 'older', version: '1' })
  server.registerTool('release', { inputSchema: { build: z.string() } }, async ({ build }) => {
    // The server needs a long timeout too: its SDK's default is one minute.
    const answer = await server.server.elicitInput(question as never, { timeout: longMs })
    if (answer.action !== 'accept') return { content: [{ type: 'text', text: `Not released: ${answer.action}.` }] }
    ran(build)
    return { content: [{ type: 'text', text: released }] }
  })
  return server
}
