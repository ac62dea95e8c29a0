// A server of 2026-07-28 whose tool asks one question and notes the moments: when it asked, and when it was gone on with.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

export interface Moments {
  /** Milliseconds since 1970, with their fractions; the browser on this machine counts the same way. */
  readonly askedAt: number
  resumedAt?: number
}

export interface AskingTool {
  readonly url: string
  readonly moments: ReadonlyMap<string, Moments>
  close(): void
}

function now(): number {
  return performance.timeOrigin + performance.now()
}

const requestedSchema = {
  type: 'object',
  properties: { region: { type: 'string', enum: ['eu', 'us'] } },
  required: ['region'],
} as const

export async function anAskingTool(): Promise<AskingTool> {
  const moments = new Map<string, Moments>()
  const build = () => {
    const server = new McpServer({ name: 'bench', version: '1' })
    server.registerTool('ask', { inputSchema: z.object({ message: z.string() }) }, async ({ message }, ctx) => {
      if (ctx.mcpReq.inputResponses !== undefined) {
        const known = moments.get(message)
        if (known !== undefined) known.resumedAt = now()
        return { content: [{ type: 'text', text: 'done' }] }
      }
      moments.set(message, { askedAt: now() })
      const question = { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } } as never
      return inputRequired({ inputRequests: { question }, requestState: '1' })
    })
    return server
  }
  const handler = toNodeHandler(createMcpHandler(build, { legacy: 'reject' }))
  const server = createServer(handler as Parameters<typeof createServer>[1])
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    moments,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A client that cannot ask by itself. */
export async function aMuteClient(url: string): Promise<Client> {
  const client = new Client(
    { name: 'bench', version: '1' },
    { capabilities: {}, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return client
}
