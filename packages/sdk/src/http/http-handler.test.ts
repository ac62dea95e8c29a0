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

const ann = { token: 'a', clientId: 'c', scopes: [], extra: { sub: 'ann' } }
const eve = { token: 'e', clientId: 'c', scopes: [], extra: { sub: 'eve' } }

test('[HTTP-3] the session of another person does not exist: no answer of theirs reaches its question', async () => {
  const handler = httpHandler(newServer)
  let authInfo: typeof ann | undefined = ann
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<typeof ada>()
  const client = new Client1(info, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, () => {
    asked.resolve()
    return answer.promise
  })
  const fetch = (request: Request) => handler.fetch(request, { ...(authInfo && { authInfo }) })
  await client.connect(new Http1(url, via({ ...handler, fetch })) as never)
  const calling = client.callTool({ name: 'greet' })
  await asked.promise
  const id = (client.transport as unknown as Http1).sessionId ?? ''
  const headers = {
    'mcp-session-id': id,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const result = { action: 'accept', content: { text: 'Eve' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, result })
  for (const other of [eve, undefined]) {
    authInfo = other
    const posted = await fetch(new Request(url, { method: 'POST', headers, body }))
    expect([posted.status, await posted.text()]).toEqual([404, 'Unknown session.'])
    expect((await fetch(new Request(url, { method: 'DELETE', headers }))).status).toBe(404)
  }
  authInfo = { ...ann, token: 'refreshed' }
  answer.resolve(ada)
  expect(await calling).toMatchObject(greeted)
  await handler.close()
})

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const initialize = {
  ...list,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities, clientInfo: info },
}
const post = (message: object, more: object) => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return new Request(url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(message) })
}
const sessionOf = ({ headers }: Response) => ({ 'mcp-session-id': headers.get('mcp-session-id') ?? '' })

test('[HTTP-3] a server that identifies people in its own way also binds their sessions', async () => {
  const principal = (context: unknown) =>
    (context as { http: { req: Request } }).http.req.headers.get('x-user') ?? undefined
  const handler = httpHandler(newServer, { principal })
  const send = (user: string, message: object, session: object = {}) =>
    handler.fetch(post(message, { 'x-user': user, ...session }))
  const session = sessionOf(await send('ann', initialize))
  expect((await send('eve', list, session)).status).toBe(404)
  expect((await send('ann', list, session)).status).toBe(200)
  await handler.close()
})

test('[HTTP-3] without subjects in tokens a session outlives its token, and belongs to its client', async () => {
  const handler = httpHandler(newServer)
  const send = (authInfo: { token: string; clientId: string }, message: object, session: object = {}) =>
    handler.fetch(post(message, session), { authInfo: { scopes: [], ...authInfo } })
  const session = sessionOf(await send({ token: 'a', clientId: 'c' }, initialize))
  expect((await send({ token: 'refreshed', clientId: 'c' }, list, session)).status).toBe(200)
  expect((await send({ token: 'a', clientId: 'other' }, list, session)).status).toBe(404)
  expect((await handler.fetch(post(list, session))).status).toBe(404)
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
