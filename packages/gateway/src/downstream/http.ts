// The MCP endpoint over HTTP, for both generations at once: each request says which one it is.
//
// The newest revision is recognised by what its requests carry; everything else belongs to a session.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Person } from '@assent/core'
import { downstreamLimits } from '../limits.ts'
import { header, mediaType, readBody } from '../wire/http.ts'
import {
  errorCodes,
  errorReply,
  isNotification,
  isReply,
  isRequest,
  type Message,
  type Request,
  readMessage,
} from '../wire/messages.ts'
import { ClientSession } from './2025-11-25/session.ts'
import { claimsRevision, headerProblem, parameterHeaders } from './2026-07-28/envelope.ts'
import { serve20260728 } from './2026-07-28/serve.ts'
import { AnswerStream } from './answer-stream.ts'
import type { Serving } from './context.ts'

const sessionHeader = 'mcp-session-id'

export class HttpEndpoint {
  readonly #serving: Serving
  readonly #sessions = new Map<string, ClientSession>()
  readonly #sweep: NodeJS.Timeout

  constructor(serving: Serving) {
    this.#serving = serving
    this.#sweep = setInterval(() => this.#endIdle(), 60_000)
    this.#sweep.unref()
  }

  async handle(request: IncomingMessage, response: ServerResponse, person: Person): Promise<void> {
    if (request.method === 'POST') return this.#post(request, response, person)
    if (request.method === 'GET') return this.#get(request, response, person)
    if (request.method === 'DELETE') return this.#delete(request, response, person)
    response.writeHead(405, { allow: 'GET, POST, DELETE' }).end()
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    await Promise.all([...this.#sessions.values()].map((session) => session.end()))
    this.#sessions.clear()
  }

  async #post(request: IncomingMessage, response: ServerResponse, person: Person): Promise<void> {
    if (mediaType(request) !== 'application/json')
      return refuse(response, 415, 'Messages are sent as application/json.')
    const body = await readBody(request)
    if (body === undefined) return refuse(response, 413, 'The message is too large.')
    const message = readMessage(body)
    if (message === undefined)
      return refuse(response, 400, 'The body is not one JSON-RPC message.', errorCodes.invalidRequest)
    const asked = isRequest(message) ? message : undefined
    if (claimsRevision(asked, header(request, 'mcp-protocol-version')?.trim())) {
      return this.#postNewest(request, response, person, message)
    }
    if (asked?.method === 'initialize') return this.#initialize(asked, response, person)
    const session = this.#session(request, response, person)
    if (session === undefined) return
    if (asked !== undefined) return answerOf(session, asked, response)
    if (isReply(message)) session.take(message)
    else if (isNotification(message)) session.hear(message)
    response.writeHead(202).end()
  }

  async #postNewest(
    request: IncomingMessage,
    response: ServerResponse,
    person: Person,
    message: Message,
  ): Promise<void> {
    if (isReply(message))
      return refuse(response, 400, 'This revision has no responses from clients.', errorCodes.invalidRequest)
    if (!isRequest(message)) {
      response.writeHead(202).end()
      return
    }
    const problem = message.params?._meta === undefined ? undefined : headerProblem(request, message)
    const stream = new AnswerStream(response)
    if (problem !== undefined) return stream.end({ jsonrpc: '2.0', id: message.id, error: problem }, 400)
    const gone = new AbortController()
    stream.onGone(() => gone.abort())
    const caller = { principal: person.principal, headers: parameterHeaders(request), signal: gone.signal }
    await serve20260728(this.#serving, caller, message, stream)
  }

  async #initialize(request: Request, response: ServerResponse, person: Person): Promise<void> {
    if (this.#sessions.size >= downstreamLimits.sessions) return refuse(response, 503, 'There are too many sessions.')
    const session = new ClientSession(this.#serving, person.principal, request.params ?? {})
    const reply = await session.initialize(request)
    this.#sessions.set(session.id, session)
    new AnswerStream(response, { [sessionHeader]: session.id }).end(reply)
  }

  async #get(request: IncomingMessage, response: ServerResponse, person: Person): Promise<void> {
    const session = this.#session(request, response, person)
    if (session === undefined) return
    const stream = new AnswerStream(response, { [sessionHeader]: session.id })
    const gone = new AbortController()
    stream.onGone(() => gone.abort())
    stream.open()
    await session.listen((message) => stream.say(message), gone.signal)
  }

  async #delete(request: IncomingMessage, response: ServerResponse, person: Person): Promise<void> {
    const session = this.#session(request, response, person)
    if (session === undefined) return
    this.#sessions.delete(session.id)
    await session.end()
    response.writeHead(200).end()
  }

  /** A session is its person's alone: for anyone else it does not exist. */
  #session(request: IncomingMessage, response: ServerResponse, person: Person): ClientSession | undefined {
    const id = header(request, sessionHeader)
    if (id === undefined) {
      refuse(response, 400, 'This request belongs to no session. Begin with initialize.')
      return undefined
    }
    const session = this.#sessions.get(id)
    if (session?.principal === person.principal) return session
    refuse(response, 404, 'There is no such session. Begin again with initialize.')
    return undefined
  }

  #endIdle(): void {
    const before = Date.now() - downstreamLimits.sessionIdleMs
    for (const session of this.#sessions.values()) {
      if (session.lastUsedMs > before) continue
      this.#sessions.delete(session.id)
      void session.end()
    }
  }
}

async function answerOf(session: ClientSession, request: Request, response: ServerResponse): Promise<void> {
  const stream = new AnswerStream(response, { [sessionHeader]: session.id })
  const gone = new AbortController()
  stream.onGone(() => gone.abort())
  stream.open()
  stream.end(await session.answer(request, (message) => stream.say(message), gone.signal))
}

function refuse(response: ServerResponse, status: number, message: string, code: number = errorCodes.refused): void {
  new AnswerStream(response).end(errorReply(null, code, message), status)
}
