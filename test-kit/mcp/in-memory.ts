// Real clients of both SDK generations connected in memory to a server of ours, with a scripted person.

import { Client as Client2, InMemoryTransport as Memory2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport as Transport1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { type ToolResultParts, toolResultParts } from './tool-result.ts'

export const generations = ['2025-11-25', '2026-07-28'] as const
export type Generation = (typeof generations)[number]

/** A question as the person saw it. */
export interface Shown {
  readonly message: string
  readonly requestedSchema: {
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly required?: readonly string[]
  }
}

export type Person = (shown: Shown) => unknown

export interface Caller {
  /** All questions to the person. */
  readonly shown: readonly Shown[]
  readonly client: Client1 | Client2
  call(tool: string, args: Record<string, unknown>): Promise<ToolResultParts>
  close(): Promise<void>
}

const info = { name: 'staged', version: '1.0.0' }
const patienceMs = 60_000

/** Without a person the client declares no elicitation. */
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
    call: async (name, args) => toolResultParts(await calls(name, args)),
    close: async () => {
      await client.close()
      await serving.close()
    },
  }
}

/** The 2026 client of SDK 2 drops `_meta` of an answer; our gateway does not. This adds it to the message again. */
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
  await client.connect(transport as Transport1)
  // A client that has listed the tools checks results against their output schemas.
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
