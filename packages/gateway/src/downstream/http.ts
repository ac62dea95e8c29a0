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
import { claimsRevision, continuesRound, headerProblem, parameterHeaders } from './2026-07-28/envelope.ts'
import { serve20260728 } from './2026-07-28/serve.ts'
import { AnswerStream } from './answer-stream.ts'
import type { Serving } from './context.ts'
import { StreamCount } from './stream-count.ts'

const sessionHeader = 'mcp-session-id'
const drainLookMs = 20

export class HttpEndpoint {
  readonly #serving: Serving
  readonly #sessions = new Map<string, ClientSession>()
  readonly #sweep: NodeJS.Timeout
  readonly #streams = new StreamCount()
  /** Requests that somebody waits for; streams that only listen are not among them. */
  #running = 0
  #isDraining = false

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

  /** How many sessions there are. */
  get sessions(): number {
    return this.#sessions.size
  }

  /** Begins nothing new, and resolves when what runs has come to its end, or after this long. */
  async drain(withinMs: number): Promise<void> {
    this.#isDraining = true
    const end = Date.now() + withinMs
    while (Date.now() < end && this.#running + this.#serving.parking.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, drainLookMs))
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    await Promise.all([...this.#sessions.values()].map((session) => session.end()))
    this.#sessions.clear()
  }

  async #post(request: IncomingMessage, response: ServerResponse, person: Person): Promise<void> {
    if (mediaType(request) !== 'application/json')
      return refuse(response, 415, 'Messages are sent as application/json.')
    const body = await readBody(request).catch(() => null)
    // Whoever left in the middle of it is told nothing, and it is no trouble of ours.
    if (body === null) return void response.destroy()
    if (body === undefined) {
      // The rest of it is never read, so nothing else can come on this connection.
      response.setHeader('connection', 'close')
      return refuse(response, 413, 'The message is too large.')
    }
    const message = readMessage(body)
    if (message === undefined)
      return refuse(response, 400, 'The body is not one JSON-RPC message.', errorCodes.invalidRequest)
    const asked = isRequest(message) ? message : undefined
    // Answers are still taken, in either spelling: what waits for them shall come to its end.
    if (this.#isDraining && asked !== undefined && !continuesRound(asked))
      return refuse(
        response,
        503,
        'This gateway is about to stop. Send the request again, to another or a little later.',
      )
    if (claimsRevision(asked, header(request, 'mcp-protocol-version')?.trim())) {
      return this.#postNewest(request, response, person, message)
    }
    if (asked?.method === 'initialize') return this.#initialize(asked, response, person)
    const session = this.#session(request, response, person)
    if (session === undefined) return
    if (asked !== undefined) return this.#counted(() => answerOf(session, asked, response))
    if (isReply(message)) session.take(message)
    else if (isNotification(message)) session.hear(message)
    // After what it has set in motion: a server waits for the answer, and nobody for this.
    setImmediate(() => response.writeHead(202).end())
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
    const serve = () => serve20260728(this.#serving, caller, message, stream)
    if (message.method !== 'subscriptions/listen') return this.#counted(serve)
    if (!this.#opensStream(person, response)) return
    await serve()
  }

  /** False when this caller has too many already; then the request is refused. */
  #opensStream({ principal }: Person, response: ServerResponse): boolean {
    if (!this.#streams.open(principal)) {
      refuse(response, 503, 'You have too many streams open. Close some of them, then listen again.')
      return false
    }
    response.once('close', () => this.#streams.close(principal))
    return true
  }

  async #counted(serve: () => Promise<void>): Promise<void> {
    this.#running += 1
    await serve().finally(() => {
      this.#running -= 1
    })
  }

  async #initialize(request: Request, response: ServerResponse, person: Person): Promise<void> {
    if (this.#sessions.size >= downstreamLimits.sessions) return refuse(response, 503, 'There are too many sessions.')
    const own = [...this.#sessions.values()].filter(({ principal }) => principal === person.principal).length
    if (own >= downstreamLimits.sessionsPerCaller) {
      return refuse(response, 503, `You have ${own} sessions open. End some of them (DELETE), then begin again.`)
    }
    const session = new ClientSession(this.#serving, person.principal, request.params ?? {}, 'http')
    const reply = await session.initialize(request)
    this.#sessions.set(session.id, session)
    new AnswerStream(response, { [sessionHeader]: session.id }).end(reply)
  }

  async #get(request: IncomingMessage, response: ServerResponse, person: Person): Promise<void> {
    const session = this.#session(request, response, person)
    if (session === undefined) return
    if (!this.#opensStream(person, response)) return
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
  stream.openSoon()
  stream.end(await session.answer(request, (message) => stream.say(message), gone.signal))
}

function refuse(response: ServerResponse, status: number, message: string, code: number = errorCodes.refused): void {
  new AnswerStream(response).end(errorReply(null, code, message), status)
}
