// The servers of the relay bench: one process each, with only what their revision needs.
//
// They use as little time as possible, so that the relay is measured. `server.ts <revision> <http|stdio> [how long an idle
// connection is kept, in ms]`.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { isAccepted, type Json, type Message, question, released, rpc, tools } from './words.ts'

type Say = (message: Message) => void
type Receive = (message: Message, say: Say) => void

const refused = -32_600
const notFound = -32_601
const serverInfo = { name: 'bench', version: '1.0.0' }

/** Blocked inside the call while it asks; the answer arrives as a separate message. */
function receive20251125(): Receive {
  const open = new Map<string | number, { call: Message; say: Say }>()
  let asked = 0
  return (message, say) => {
    const { id, method, result } = message
    if (method === 'initialize') {
      say(rpc({ id: id ?? 0, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } }))
    } else if (method === 'tools/list') say(rpc({ id: id ?? 0, result: { tools } }))
    else if (method === 'ping') say(rpc({ id: id ?? 0, result: {} }))
    else if (method === 'tools/call') {
      asked += 1
      open.set(asked, { call: message, say })
      say(rpc({ id: asked, method: 'elicitation/create', params: question(buildOf(message)) }))
    } else if (method === undefined && id !== undefined) {
      const waiting = open.get(id)
      open.delete(id)
      waiting?.say(ending(waiting.call, result))
    } else if (id !== undefined) say(rpc({ id, error: { code: notFound, message: `There is no ${method}.` } }))
  }
}

/** Stateless: its state comes back with the answer. */
function receive20260728(): Receive {
  return (message, say) => {
    const { id = 0, method, params } = message
    const complete = (result: Json) => say(rpc({ id, result: { resultType: 'complete', ...result } }))
    const hints = { ttlMs: 0, cacheScope: 'private' }
    if (method === 'server/discover') {
      const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo }
      complete({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...hints, _meta })
    } else if (method === 'tools/list') complete({ tools, ...hints })
    else if (method !== 'tools/call') say(rpc({ id, error: { code: notFound, message: `There is no ${method}.` } }))
    else if (params?.requestState === undefined) {
      const build = buildOf(message)
      const inputRequests = { where: { method: 'elicitation/create', params: question(build) } }
      say(rpc({ id, result: { resultType: 'input_required', inputRequests, requestState: `state of ${build}` } }))
    } else {
      const isOwn = params.requestState === `state of ${buildOf(message)}`
      const ended = ending(message, isOwn ? (params.inputResponses as Json | undefined)?.where : undefined)
      if (ended.result === undefined) say(ended)
      else complete(ended.result)
    }
  }
}

function ending(call: Message, answer: unknown): Message {
  if (isAccepted(answer)) return rpc({ id: call.id ?? 0, result: released(buildOf(call)) })
  return rpc({ id: call.id ?? 0, error: { code: refused, message: `Not accepted: ${JSON.stringify(answer)}` } })
}

function buildOf({ params }: Message): string {
  return String((params?.arguments as Json | undefined)?.build)
}

function serveHttp(receive: Receive, hasSessions: boolean, keepAliveTimeout: number): void {
  const sessions = new Set<string>()
  const server = createServer({ noDelay: true, keepAliveTimeout }, (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => answer(JSON.parse(body) as Message, request, response))
  })

  const answer = (message: Message, request: IncomingMessage, response: ServerResponse) => {
    const headers: Record<string, string> = {}
    if (hasSessions) {
      const session = message.method === 'initialize' ? randomUUID() : String(request.headers['mcp-session-id'] ?? '')
      if (message.method === 'initialize') sessions.add(session)
      if (!sessions.has(session)) return void response.writeHead(session === '' ? 400 : 404).end()
      headers['mcp-session-id'] = session
    }
    if (message.method === undefined || message.id === undefined) response.writeHead(202).end()
    receive(message, (said) => sendMessage(response, headers, said))
  }
  // Ends when the bench is interrupted.
  process.on('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` })
  })
}

/** A question opens a stream; a reply ends it, or is a plain response if there is no stream. */
function sendMessage(response: ServerResponse, headers: Record<string, string>, said: Message): void {
  const json = JSON.stringify(said)
  if (said.method !== undefined) {
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' })
    response.write(`event: message\ndata: ${json}\n\n`)
  } else if (response.headersSent) response.end(`event: message\ndata: ${json}\n\n`)
  else {
    const length = Buffer.byteLength(json)
    response.writeHead(200, { ...headers, 'content-type': 'application/json', 'content-length': length }).end(json)
  }
}

function serveStdio(receive: Receive): void {
  const say: Say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
  createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line) as Message, say))
}

const [revision, transport, keptMs = '60000'] = process.argv.slice(2)
const receive = revision === '2025-11-25' ? receive20251125() : receive20260728()
if (transport === 'http') serveHttp(receive, revision === '2025-11-25', Number(keptMs))
else serveStdio(receive)
