// A server of 2026-07-28 whose tool asks one question and records when it asked and when it continued.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { listen } from '../../test-kit/listen.ts'
import { serveRequests } from '../../test-kit/mcp/serve-2026-07-28.ts'

export interface Moments {
  /** Milliseconds since 1970 with fractions, as in the browser on this machine. */
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
  const { url, close } = await listen(serveRequests(build))
  return { url, moments, close: () => void close() }
}

/** A client without elicitation. */
export async function aMuteClient(url: string): Promise<Client> {
  const client = new Client(
    { name: 'bench', version: '1' },
    { capabilities: {}, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return client
}
