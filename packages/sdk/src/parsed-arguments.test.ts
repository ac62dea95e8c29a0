// `interactive` with `registerTool` of SDK 2.x: the SDK passes only the arguments that the schema made.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createAssent } from './assent.ts'
import type { LogEntry } from './observe/hooks.ts'
import { accept, roundsOf } from './rounds.suite.ts'

const info = { name: 's', version: '1' }
const generated = z.object({ id: z.string().default(() => crypto.randomUUID()) })

async function connected(register: (server: McpServer) => void): Promise<Client> {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(info)
      register(server)
      return server
    },
    { legacy: 'reject' },
  )
  const client = new Client(info, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  })
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { text: 'Ada' } }))
  const fetch = (url: unknown, init: unknown) => handler.fetch(new Request(String(url), init as RequestInit))
  await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch: fetch as never }))
  return client
}

test('[SDK-35] a schema that generates a value in each round: refused and explained in the log; assent.tool works', async () => {
  const log = vi.fn((_entry: LogEntry) => undefined)
  const refused = vi.fn()
  const { interactive, tool } = createAssent({ log, on: { refused } })
  const client = await connected((server) => {
    server.registerTool(
      'uuid',
      { inputSchema: generated },
      interactive(async ({ id }, { ask }) => `${id.length} ${await ask.text('Name?')}`, { name: 'uuid' }),
    )
    tool(server, 'registered', { inputSchema: generated }, async ({ id }, { ask }) => {
      return `${id.length} ${await ask.text('Name?')}`
    })
  })
  const call = (name: string, args = {}) => client.callTool({ name, arguments: args })

  expect(await call('uuid')).toMatchObject({ isError: true, _meta: { 'assent/refusal': { code: 'state_refused' } } })
  await call('uuid')
  expect(log.mock.calls).toEqual([
    [
      {
        level: 'error',
        handler: 'uuid',
        code: 'state_refused',
        message: expect.stringContaining('register the tool with assent.tool, or generate the value in a step'),
      },
    ],
  ])
  expect(refused).toHaveBeenCalledTimes(2)
  // An id of the client's own is the same in every round.
  expect(await call('uuid', { id: 'mine' })).toMatchObject({ content: [{ text: '4 Ada' }] })
  expect(await call('registered')).toMatchObject({ content: [{ text: '36 Ada' }] })
  expect(log).toHaveBeenCalledTimes(1)
  await client.close()
})

test('[SDK-35] a state that is refused for another reason has no such explanation', async () => {
  const log = vi.fn()
  const call = roundsOf(createAssent({ log }).interactive, async (_, { ask }) => ask.text('Name?'))
  const { state } = await call()
  const answers = { 'ask-1': accept({ text: 'Ada' }) }

  expect((await call(undefined, { state, answers, sub: 'eve' })).code).toBe('state_refused')
  expect((await call(undefined, { state: `${state}x`, answers })).code).toBe('state_refused')
  expect(log).not.toHaveBeenCalled()
  expect((await call({ env: 'other' }, { state, answers })).code).toBe('state_refused')
  expect(log).toHaveBeenCalledTimes(1)
})
