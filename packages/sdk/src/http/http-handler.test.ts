// Real clients of both generations at one address.

import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { McpServer } from '@modelcontextprotocol/server'
import { expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'
import { type HttpHandler, httpHandler } from './http-handler.ts'

const assent = createAssent({ name: 'hello' })
const info = { name: 'hello', version: '1.0.0' }
const capabilities = { elicitation: { form: {} } }
const ada = { action: 'accept', content: { text: 'Ada' } } as const

function newServer(): McpServer {
  const server = new McpServer(info)
  assent.tool(server, 'greet', {}, async ({ ask }) => `Hello, ${await ask.text('Name?')}!`)
  return server
}

const url = new URL('http://127.0.0.1/mcp')
const via = ({ fetch }: HttpHandler) => ({
  fetch: ((target: string | URL, init?: RequestInit) => fetch(new Request(target, init))) as typeof globalThis.fetch,
})

async function connect1(handler: HttpHandler): Promise<Client1> {
  const client = new Client1(info, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, async () => ada)
  await client.connect(new Http1(url, via(handler)) as never)
  return client
}

async function connect2(handler: HttpHandler): Promise<Client2> {
  const client = new Client2(info, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } })
  client.setRequestHandler('elicitation/create', async () => ada)
  await client.connect(new Http2(url, via(handler)))
  return client
}

const greeted = { content: [{ type: 'text', text: 'Hello, Ada!' }] }

test('[HTTP-1] clients of both generations are asked at one address', async () => {
  const handler = httpHandler(newServer)
  const [older, latest] = [await connect1(handler), await connect2(handler)]
  expect(await older.callTool({ name: 'greet' })).toMatchObject(greeted)
  expect(await latest.callTool({ name: 'greet' })).toMatchObject(greeted)
  await handler.close()
})

test('[HTTP-1] a body that a framework has parsed is used instead of the request', async () => {
  const handler = httpHandler(newServer)
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities, clientInfo: info },
  }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const request = new Request(url, { method: 'POST', headers })
  const response = await handler.fetch(request, { parsedBody: initialize })
  expect(response.status).toBe(200)
  expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f-]{36}$/)
  await handler.close()
})

test('[HTTP-2] an unknown session gets 404, also one that its client has ended', async () => {
  const handler = httpHandler(newServer)
  const headers = { 'mcp-session-id': 'unknown', accept: 'text/event-stream' }
  expect((await handler.fetch(new Request(url, { headers }))).status).toBe(404)
  const client = await connect1(handler)
  const transport = client.transport as unknown as Http1
  const id = transport.sessionId ?? ''
  await transport.terminateSession()
  expect((await handler.fetch(new Request(url, { headers: { ...headers, 'mcp-session-id': id } }))).status).toBe(404)
  await handler.close()
})

test('[HTTP-2] with too many sessions the one that was not used for the longest time is closed', async () => {
  const handler = httpHandler(newServer, { maxSessions: 2 })
  const first = await connect1(handler)
  const second = await connect1(handler)
  await first.listTools()
  const third = await connect1(handler)
  await expect(second.listTools()).rejects.toThrow()
  for (const client of [first, third]) expect(await client.callTool({ name: 'greet' })).toMatchObject(greeted)
  await handler.close()
  await vi.waitFor(() => expect(first.listTools()).rejects.toThrow())
})
