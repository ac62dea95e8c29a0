// Real clients of both SDK generations joined to the tools, with a person behind them. Run by the tests beside it.

import { Client as Client2, InMemoryTransport as Memory2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport as Transport1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

export const generations = ['2025-11-25', '2026-07-28'] as const
export type Generation = (typeof generations)[number]

/** What a person was shown. */
export interface Shown {
  readonly message: string
  readonly requestedSchema: {
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly required?: readonly string[]
  }
}

export type Person = (shown: Shown) => unknown

export interface Result {
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
  readonly isError: boolean
}

export interface Caller {
  /** All that the person was asked. */
  readonly shown: readonly Shown[]
  readonly client: Client1 | Client2
  call(tool: string, args: Record<string, unknown>): Promise<Result>
  close(): Promise<void>
}

const info = { name: 'staged', version: '1.0.0' }
const patienceMs = 60_000

/** Without a person the client declares that it cannot ask. */
export async function connect(generation: Generation, createServer: () => McpServer, person?: Person): Promise<Caller> {
  const [near, far] = Memory2.createLinkedPair()
  const serving = serveStdio(createServer, { transport: far })
  const shown: Shown[] = []
  let meta: unknown
  const answer = async (params: unknown) => {
    shown.push(params as Shown)
    const given = await person?.(params as Shown)
    meta = typeof given === 'object' && given !== null && '_meta' in given ? given._meta : undefined
    return given as never
  }
  keepMeta(near, () => meta)
  const capabilities = person === undefined ? {} : { elicitation: { form: {}, url: {} } }
  const open = generation === '2025-11-25' ? open1 : open2
  const { client, calls } = await open(near, capabilities, person === undefined ? undefined : answer)
  return {
    shown,
    client,
    call: async (name, args) => {
      const result = (await calls(name, args)) as {
        content: { text: string }[]
        structuredContent?: Record<string, unknown>
        isError?: boolean
      }
      return {
        text: result.content[0]?.text ?? '',
        data: result.structuredContent ?? {},
        isError: result.isError ?? false,
      }
    },
    close: async () => {
      await client.close()
      await serving.close()
    },
  }
}

/** The 2026 client of SDK 2 drops `_meta` of an answer; a gateway of ours does not. This puts it back on the wire. */
function keepMeta(transport: Memory2, metaOf: () => unknown): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const params = 'params' in message ? (message.params as { inputResponses?: Record<string, object> }) : undefined
    const meta = metaOf()
    if (params?.inputResponses !== undefined && meta !== undefined) {
      for (const response of Object.values(params.inputResponses)) Object.assign(response, { _meta: meta })
    }
    return send(message, options)
  }
}

type Answer = ((params: unknown) => Promise<never>) | undefined

async function open1(transport: Memory2, capabilities: object, answer: Answer) {
  const client = new Client1(info, { capabilities })
  if (answer !== undefined) client.setRequestHandler(ElicitRequestSchema, async ({ params }) => answer(params))
  await client.connect(transport as unknown as Transport1)
  // A client that knows the tools checks what comes back against their output schemas.
  await client.listTools()
  const calls = (name: string, args: Record<string, unknown>) =>
    client.callTool({ name, arguments: args }, undefined, { timeout: patienceMs })
  return { client, calls }
}

async function open2(transport: Memory2, capabilities: object, answer: Answer) {
  const client = new Client2(info, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } })
  if (answer !== undefined) client.setRequestHandler('elicitation/create', async ({ params }) => answer(params))
  await client.connect(transport)
  await client.listTools()
  const calls = (name: string, args: Record<string, unknown>) =>
    client.callTool({ name, arguments: args }, { timeout: patienceMs })
  return { client, calls }
}
