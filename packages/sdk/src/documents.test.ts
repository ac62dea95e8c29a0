// Prompts and resources ask like tools do. A no is an error of the request, because their results cannot express it.

import { Client as Client2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer as McpServer1, ResourceTemplate as Template1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createMcpHandler, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAssent } from './assent.ts'
import type { Interaction } from './interaction.ts'

const { interactive } = createAssent()
const info = { name: 'documents', version: '1.0.0' }

interface Reader {
  prompt(topic: string): Promise<unknown>
  resource(uri: string): Promise<unknown>
  close(): Promise<void>
}

const write = async ({ topic }: { topic: string }, { ask }: Interaction) =>
  `${topic} for ${await ask.text('For whom?')}`
const read = async (uri: URL, variables: { id?: unknown }, { ask }: Interaction) =>
  `${variables.id} of ${uri.href} in ${await ask.choose('Which language?', ['en', 'de'])}`

function answer({ message }: { message: string }): never {
  if (message === 'For whom?') return { action: 'accept', content: { text: 'Ada' } } as never
  if (message === 'Which language?') return { action: 'accept', content: { choice: 'de' } } as never
  return { action: 'decline' } as never
}

async function sdk2(): Promise<Reader> {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(info)
      server.registerPrompt(
        'write',
        { argsSchema: z.object({ topic: z.string() }) },
        interactive(write, { name: 'write' }),
      )
      const template = new ResourceTemplate('doc://{id}', { list: undefined })
      server.registerResource('read', template, {}, interactive(read, { name: 'read' }))
      server.registerPrompt(
        'refused',
        {},
        interactive(async ({ ask }) => ask.text('Why?'), { name: 'refused' }),
      )
      return server
    },
    { legacy: 'reject' },
  )
  const client = new Client2(info, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  })
  client.setRequestHandler('elicitation/create', async ({ params }) => answer(params))
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
      fetch: (url, init) => handler.fetch(new Request(url, init as RequestInit)),
    }),
  )
  return {
    prompt: (topic) => client.getPrompt(topic === '' ? { name: 'refused' } : { name: 'write', arguments: { topic } }),
    resource: (uri) => client.readResource({ uri }),
    close: () => client.close(),
  }
}

async function sdk1(): Promise<Reader> {
  const server = new McpServer1(info)
  const named = (name: string) => ({ name, server, kind: 'prompt' as const })
  server.registerPrompt('write', { argsSchema: { topic: z.string() } }, interactive(write, named('write')))
  server.registerResource(
    'read',
    new Template1('doc://{id}', { list: undefined }),
    {},
    interactive(read, { name: 'read', server }),
  )
  const refused = interactive(async (_: { topic: string }, { ask }: Interaction) => ask.text('Why?'), named('refused'))
  server.registerPrompt('refused', { argsSchema: { topic: z.string() } }, refused as never)
  const client = new Client1(info, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => answer(params))
  const [near, far] = InMemoryTransport.createLinkedPair()
  await server.connect(far)
  await client.connect(near)
  return {
    prompt: (topic) => client.getPrompt({ name: topic === '' ? 'refused' : 'write', arguments: { topic } }),
    resource: (uri) => client.readResource({ uri }),
    close: () => client.close(),
  }
}

describe.each([
  ['2026-07-28, SDK 2', sdk2],
  ['2025-11-25, SDK 1', sdk1],
] as const)('%s', (_, open) => {
  test('[SDK-2] prompts and resources ask too, and a text result has their own shape', async () => {
    const reader = await open()
    expect(await reader.prompt('A poem')).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: 'A poem for Ada' } }],
    })
    expect(await reader.resource('doc://7')).toMatchObject({
      contents: [{ uri: 'doc://7', text: '7 of doc://7 in de' }],
    })
    await reader.close()
  })

  test('[SDK-5] a no that a prompt does not catch is an error with the same message', async () => {
    const reader = await open()
    await expect(reader.prompt('')).rejects.toThrow('The person declined "Why?"')
    await reader.close()
  })
})
