// The program of an imperfect server over HTTP.

import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../../test-kit/listen.ts'
import { type ComparedSettings, ownSettings } from '../settings.ts'
import { formOf } from './forms.ts'
import { eventOf, httpQuirkOf } from './http-quirks.ts'
import { OrdinarySession, type Wire } from './ordinary.ts'

interface Client {
  readonly session: OrdinarySession
  requests: number
  /** The stream that the client opened with GET. */
  stream?: ServerResponse
}

const { name, journal } = ownSettings<ComparedSettings>()
const quirk = httpQuirkOf(name)
const { hasNoSessions = false, isLegacySse = false, isNewest = false } = quirk
const streams = quirk.streams ?? ((method) => method === 'tools/call')
const clients = new Map<string, Client>()
const eventStream = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }
let posts = 0

const newSession = () => new OrdinarySession(quirk, (what) => appendFileSync(journal, `${what}\n`), formOf)
/** Used for every request if there are no sessions. */
const shared: Client = { session: newSession(), requests: 0 }

function clientOf(request: IncomingMessage): Client | undefined {
  if (hasNoSessions || isNewest) return shared
  const id = String(request.headers['mcp-session-id'])
  const client = clients.get(id)
  if (client === undefined) return undefined
  client.requests += 1
  if (client.requests <= (quirk.expiresAfter ?? Number.POSITIVE_INFINITY)) return client
  clients.delete(id)
  return undefined
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const message = request.method === 'POST' ? await bodyOf(request) : undefined
  const exchange = {
    request,
    response,
    path,
    posts,
    sessions: clients.size,
    ...(message === undefined ? {} : { message }),
  }
  if (message !== undefined) posts += 1
  if ((await quirk.handle?.(exchange)) === true) return
  if (isLegacySse) return handleLegacy(request, response, message, searchParams.get('client') ?? '')
  if (message?.method === 'initialize' && !isNewest) return open(response, message)
  const client = clientOf(request)
  // As the official SDK does: 400 for a missing session id, 404 for an unknown one.
  if (client === undefined) return refuse(response, request.headers['mcp-session-id'] === undefined ? 400 : 404)
  if (request.method === 'GET') {
    response.writeHead(200, eventStream).flushHeaders()
    client.stream = response
    return
  }
  if (request.method === 'DELETE') {
    clients.delete(String(request.headers['mcp-session-id']))
    return void response.writeHead(200).end()
  }
  if (message !== undefined) await answer(client, response, message)
}

async function open(response: ServerResponse, message: Wire): Promise<void> {
  if (hasNoSessions) return answer(shared, response, message)
  const id = randomUUID()
  const client = { session: newSession(), requests: 0 }
  clients.set(id, client)
  response.setHeader('mcp-session-id', id)
  return answer(client, response, message)
}

async function answer({ session }: Client, response: ServerResponse, message: Wire): Promise<void> {
  if (message.method === undefined || message.id === undefined) {
    await session.receive(message, () => undefined)
    return void response.writeHead(202).end()
  }
  if (!streams(message.method)) {
    const reply = await session.receive(message, () => undefined)
    if (reply !== undefined) await writeJson(response, JSON.stringify(reply))
    return
  }
  response.writeHead(200, eventStream).flushHeaders()
  const say = (said: Wire) => void response.write(eventOf(quirk, said))
  const reply = await session.receive(message, say)
  if (reply !== undefined) say(reply)
  response.end()
}

async function writeJson(response: ServerResponse, text: string): Promise<void> {
  if (quirk.write !== undefined) return quirk.write(response, text)
  response.writeHead(200, { 'content-type': 'application/json' }).end(text)
}

/** Messages are sent to one address; all replies arrive on the stream of the other. */
async function handleLegacy(
  request: IncomingMessage,
  response: ServerResponse,
  message: Wire | undefined,
  id: string,
): Promise<void> {
  if (request.method === 'GET') {
    const opened = randomUUID()
    response.writeHead(200, eventStream).flushHeaders()
    response.write(`event: endpoint\ndata: /messages?client=${opened}\n\n`)
    clients.set(opened, { session: newSession(), requests: 0, stream: response })
    return
  }
  const client = clients.get(id)
  if (message === undefined || client === undefined) return refuse(response, 405)
  response.writeHead(202).end('Accepted')
  const say = (said: Wire) => void client.stream?.write(eventOf(quirk, said))
  const reply = await client.session.receive(message, say)
  if (reply !== undefined) say(reply)
}

function refuse(response: ServerResponse, status: number): void {
  const error = { code: -32_000, message: 'Bad Request: no valid session' }
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
}

async function bodyOf(request: IncomingMessage): Promise<Wire> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  return JSON.parse(body) as Wire
}

const server = createServer((request, response) => {
  void handle(request, response)
})
// Without Node's extra keep-alive margin and without a `Keep-Alive` header.
if (quirk.keepAliveMs !== undefined) {
  Object.assign(server, { keepAliveTimeout: quirk.keepAliveMs, keepAliveTimeoutBuffer: 0 })
}
const { origin } = await listen(server)
process.send?.({ url: `${origin}/${isLegacySse ? 'sse' : 'mcp'}` })
