// Hand-written clients and servers, for tests that check the exact messages between them and the gateway.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { JsonObject } from '@assent/core'
import { closeAfterTest, listening } from '../../../../test-kit/close-after-test.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'

export type Wire = Record<string, unknown>
export interface Received {
  readonly status: number
  /** The last message of the response: the reply to the request. */
  readonly message: { id?: unknown; result: Wire; error: { code: number; message: string; data?: unknown } }
  readonly said: readonly Wire[]
}

const asksBoth = { elicitation: { form: {}, url: {} } }

export interface Sender {
  readonly person?: string
  readonly capabilities?: object
  readonly meta?: object
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** One request of revision 2026-07-28. */
export async function request(url: string, method: string, params: Wire, sender: Sender = {}): Promise<Received> {
  const name = params.name ?? params.uri
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': sender.capabilities ?? asksBoth,
    ...sender.meta,
  }
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    ...sender.headers,
  }
  return received(
    await post(url, { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }, { ...sender, headers }),
  )
}

export function call(url: string, args: Wire, rounds: Wire = {}, sender: Sender = {}): Promise<Received> {
  return request(url, 'tools/call', { name: 'ask', arguments: args, ...rounds }, sender)
}

export function post(url: string, body: unknown, { person = 'ann', headers, signal }: Sender = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      [personHeader]: person,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })
}

async function received(response: Response): Promise<Received> {
  const said: Wire[] = []
  for await (const message of messagesOf(response)) said.push(message)
  return { status: response.status, message: said.at(-1) as Received['message'], said }
}

export interface RawSession {
  readonly id: string
  readonly opened: Wire
  /** Sends a message in this session, by default as its own person. */
  post(message: Wire, person?: string): Promise<Response>
  /** Sends a request; returns the messages of its response as they arrive. */
  ask(method: string, params: Wire, id?: number): Promise<AsyncGenerator<Wire>>
}

export async function aSession(url: string, { person = 'ann', ...client }: Sender & { revision?: string } = {}) {
  const params = {
    protocolVersion: client.revision ?? '2025-11-25',
    capabilities: client.capabilities ?? asksBoth,
    clientInfo: { name: 'raw', version: '1' },
  }
  const response = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, { person })
  const id = response.headers.get('mcp-session-id') ?? ''
  const { message } = await received(response)
  const send = (body: Wire, by = person) => post(url, body, { person: by, headers: { 'mcp-session-id': id } })
  const session: RawSession = {
    id,
    opened: message.result,
    post: send,
    ask: async (method, asked, requestId = 1) =>
      messagesOf(await send({ jsonrpc: '2.0', id: requestId, method, params: asked })),
  }
  return session
}

export async function nextOf<T>(stream: AsyncGenerator<T>): Promise<T> {
  const { value, done } = await stream.next()
  if (done === true) throw new Error('The stream ended.')
  return value
}

export interface RawRequest {
  readonly id?: number
  readonly method: string
  readonly params: JsonObject & { readonly _meta?: JsonObject }
}

export type Reaction = (request: RawRequest, response: ServerResponse, message: IncomingMessage) => unknown

/**
 * A server of revision 2026-07-28. `react` returns `{result}` or `{error}`, or it writes to the response itself and
 * returns undefined.
 */
export async function aRawServer(
  react: Reaction,
  capabilities: object = { tools: {} },
): Promise<{ url: string; requests: RawRequest[] }> {
  const requests: RawRequest[] = []
  const server = createServer(async (message, response) => {
    let body = ''
    for await (const chunk of message.setEncoding('utf8')) body += chunk
    const received = JSON.parse(body) as RawRequest
    if (received.method === 'server/discover') {
      const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id: received.id, result }))
      return
    }
    requests.push(received)
    const reaction = await react(received, response, message)
    if (reaction === undefined) return
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id: received.id, ...(reaction as object) }))
  })
  const { url } = await listening(server)
  return { url, requests }
}

/** The result of a server that asks these questions. */
export function asks(inputRequests: Record<string, unknown>, requestState?: string) {
  const requests = Object.entries(inputRequests).map(([key, params]) => [key, { method: 'elicitation/create', params }])
  const state = requestState === undefined ? {} : { requestState }
  return { result: { resultType: 'input_required', inputRequests: Object.fromEntries(requests), ...state } }
}

export const complete = { result: { resultType: 'complete', content: [{ type: 'text', text: 'done' }] } }

/** Aborted when the test ends, so that no stream stays open after it. */
export function untilTheEnd(): AbortController {
  const ending = new AbortController()
  closeAfterTest(() => ending.abort())
  return ending
}

export interface OlderCall {
  readonly id: number
  readonly method: string
  readonly params: JsonObject
  /** Sends a message on the call's stream. */
  say(message: object): void
  /** Ends the call with `{result}` or `{error}`. */
  end(reply: object): void
  readonly response: ServerResponse
}

/**
 * A server of revision 2025-11-25 that runs `react` for each request after `initialize`. `received` lists all messages
 * that it received, `headers` the headers of each.
 */
export async function anOlderRawServer(
  react: (call: OlderCall) => void,
  capabilities: object = { tools: {} },
): Promise<{ url: string; received: Wire[]; headers: IncomingHttpHeaders[] }> {
  const receivedHere: Wire[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer(async (message, response) => {
    if (message.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    for await (const chunk of message.setEncoding('utf8')) body += chunk
    const received = JSON.parse(body)
    receivedHere.push(received)
    headers.push(message.headers)
    if (received.method === 'server/discover') return void response.writeHead(400).end()
    if (received.method === undefined || received.id === undefined) return void response.writeHead(202).end()
    const json = { 'content-type': 'application/json', 'mcp-session-id': 'raw' }
    if (received.method === 'initialize') {
      const result = {
        protocolVersion: '2025-11-25',
        capabilities,
        serverInfo: { name: 'raw', version: '1' },
      }
      return void response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id: received.id, result }))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    const say = (said: object) => {
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...said })}\n\n`)
    }
    const end = (reply: object) => {
      say({ id: received.id, ...reply })
      response.end()
    }
    react({ ...received, response, say, end })
  })
  return { ...(await listening(server)), received: receivedHere, headers }
}
