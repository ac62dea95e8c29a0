// The MCP endpoint over HTTP, for both protocol generations.
//
// Requests of the newest revision name it in their body or header; every other request belongs to a session.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Identity } from '../call/local-person.ts'
import { awaitTool } from '../call/route/await-answer.ts'
import type { ShutdownPhase } from '../call/shutdown.ts'
import { clientLimits, protocolLimits } from '../limits.ts'
import { header, mediaType, readBody } from '../protocol/http.ts'
import {
  errorCodes,
  errorReply,
  isNotification,
  isReply,
  isRequest,
  type Message,
  type Request,
  readBatch,
  readMessage,
} from '../protocol/messages.ts'
import { readStreamPosition } from './2025-11-25/resume/call-stream.ts'
import { CallStreams } from './2025-11-25/resume/call-streams.ts'
import { SessionBook } from './2025-11-25/resume/session-book.ts'
import type { ClientSession } from './2025-11-25/session.ts'
import {
  claimsRevision,
  continuesRound,
  headerProblem,
  parameterHeaders,
  parameterProblem,
} from './2026-07-28/envelope.ts'
import { serve20260728 } from './2026-07-28/serve.ts'
import { AnswerStream } from './answer-stream.ts'
import type { Serving } from './context.ts'
import { StreamCount } from './stream-count.ts'

const sessionHeader = 'mcp-session-id'
const batchRevision = '2025-03-26'
/** Revisions that a session's request may name in its header. 2024-11-05 clients were offered a later one. */
const sessionRevisions = ['2024-11-05', batchRevision, '2025-06-18', '2025-11-25']
const aboutToStop = 'This gateway is shutting down. Retry at another replica, or later.'
const storeAway = 'The gateway cannot reach its database. Nothing was done. Retry later.'

export class HttpEndpoint {
  readonly #serving: Serving
  readonly #sessions: SessionBook
  readonly #onError: (error: unknown) => void
  readonly #calls: CallStreams
  readonly #streams = new StreamCount()
  #isDraining = false

  constructor(serving: Serving, onError: (error: unknown) => void) {
    this.#serving = serving
    this.#onError = onError
    this.#sessions = new SessionBook(serving, onError)
    this.#calls = new CallStreams(serving, onError)
  }

  async handle(request: IncomingMessage, response: ServerResponse, person: Identity): Promise<void> {
    if (request.method === 'POST') return this.#post(request, response, person)
    if (request.method === 'GET') return this.#get(request, response, person)
    if (request.method === 'DELETE') return this.#delete(request, response, person)
    response.writeHead(405, { allow: 'GET, POST, DELETE' }).end()
  }

  /** How many sessions this process has served recently. */
  get sessions(): number {
    return this.#sessions.size
  }

  /** Stops accepting new calls and sessions. */
  leave(): void {
    this.#isDraining = true
  }

  async close(): Promise<void> {
    await this.#sessions.close()
    this.#calls.close()
  }

  async #post(request: IncomingMessage, response: ServerResponse, person: Identity): Promise<void> {
    if (mediaType(request) !== 'application/json') return refuse(response, 415, 'Messages must be application/json.')
    const body = await readBody(request).catch(() => null)
    // The client disconnected while sending: nothing to answer, and not an error of the gateway.
    if (body === null) return void response.destroy()
    if (body === undefined) {
      // The rest of the body is not read, so the connection cannot be reused.
      response.setHeader('connection', 'close')
      return refuse(response, 413, 'The message is too large.')
    }
    const message = readMessage(body)
    const batch = message === undefined ? readBatch(body) : undefined
    if (batch !== undefined) return this.#postBatch(request, response, person, batch)
    if (message === undefined) {
      if (isNotJson(body)) return refuse(response, 400, 'The body is not JSON.', errorCodes.parse)
      return refuse(response, 400, 'The body is not one JSON-RPC message.', errorCodes.invalidRequest)
    }
    const asked = isRequest(message) ? message : undefined
    // While draining, answers (of both generations) and result fetches are still accepted, so that open calls can end.
    if (this.#isDraining && asked !== undefined && !continuesRound(asked) && !isFetching(asked))
      return refuse(response, 503, aboutToStop)
    if (claimsRevision(asked, header(request, 'mcp-protocol-version')?.trim())) {
      return this.#postNewest(request, response, person, message)
    }
    const headers = this.#forwarded(request)
    if (asked?.method === 'initialize') return this.#initialize(asked, response, person, headers)
    const session = await this.#session(request, response, person)
    if (session === undefined) return
    if (asked !== undefined) return this.#answer(session, asked, response, headers)
    try {
      if (isReply(message)) await this.#sessions.take(session, message)
      else if (isNotification(message)) await this.#sessions.receive(session, message, headers)
    } catch (error) {
      // The message belongs to a call in another replica, and cannot be forwarded without the store.
      this.#onError(error)
      return refuse(response, 503, storeAway)
    }
    // Sent after the answer is processed: a server waits for the answer, while the 202 is not urgent.
    setImmediate(() => response.writeHead(202).end())
  }

  /** A batch, which only 2025-03-26 has. The replies are sent on one stream, each as soon as it is available. */
  async #postBatch(
    request: IncomingMessage,
    response: ServerResponse,
    person: Identity,
    batch: readonly Message[],
  ): Promise<void> {
    const requests = batch.filter(isRequest)
    if (this.#isDraining && requests.length > 0) return refuse(response, 503, aboutToStop)
    const session = await this.#session(request, response, person)
    if (session === undefined) return
    if (
      session.revision !== batchRevision ||
      batch.length === 0 ||
      requests.some(({ method }) => method === 'initialize')
    )
      return refuse(response, 400, 'The body is not one JSON-RPC message.', errorCodes.invalidRequest)
    const headers = this.#forwarded(request)
    try {
      for (const message of batch) {
        if (isReply(message)) await this.#sessions.take(session, message)
        else if (isNotification(message)) await this.#sessions.receive(session, message, headers)
      }
    } catch (error) {
      this.#onError(error)
      return refuse(response, 503, storeAway)
    }
    if (requests.length === 0) return void response.writeHead(202).end()
    const stream = new AnswerStream(response, { [sessionHeader]: session.id })
    const signal = this.#untilGone(stream, 'closed')
    stream.open()
    await Promise.all(
      requests.map(async (asked) => {
        const reply = await session.answer(asked, (message) => stream.send(message), signal, { headers })
        await this.#sessions.granted(session, asked, reply).catch(this.#onError)
        stream.send(reply)
      }),
    )
    stream.finish()
  }

  async #answer(
    session: ClientSession,
    request: Request,
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    const answering = new AnswerStream(response, { [sessionHeader]: session.id })
    const stream = this.#calls.begin(session, request, answering)
    const kept = this.#calls.keeps(session, stream)
    const reply = await session.answer(request, (message) => stream.send(message), stream.signal, { headers, kept })
    await this.#sessions.granted(session, request, reply).catch(this.#onError)
    this.#calls.end(stream, reply, answering)
    await kept.ended(reply).catch(this.#onError)
  }

  async #postNewest(
    request: IncomingMessage,
    response: ServerResponse,
    person: Identity,
    message: Message,
  ): Promise<void> {
    if (isReply(message))
      return refuse(response, 400, 'This revision has no responses from clients.', errorCodes.invalidRequest)
    if (!isRequest(message)) {
      response.writeHead(202).end()
      return
    }
    const problem =
      message.params?._meta === undefined
        ? undefined
        : (headerProblem(request, message) ?? parameterProblem(request, message))
    const stream = new AnswerStream(response)
    if (problem !== undefined) return stream.end({ jsonrpc: '2.0', id: message.id, error: problem }, 400)
    const isListening = message.method === 'subscriptions/listen'
    if (isListening && !this.#opensStream(person, response)) return
    const signal = this.#untilGone(stream, isListening ? 'draining' : 'closed')
    const headers = parameterHeaders(request, message)
    const { principal, client } = person
    const requestHeaders = this.#forwarded(request)
    const known = client === undefined ? {} : { client }
    const caller = { principal, headers, requestHeaders, signal, mayReconnect: true, ...known }
    await serve20260728(this.#serving, caller, message, stream)
  }

  /** The reconnection delay for a client whose stream ends now: short when another replica can serve it. */
  get #reconnectAfterMs(): number {
    const { reconnectAfterMs, reconnectSoonMs } = clientLimits
    return this.#serving.store.isShared && this.#serving.shutdown.has('draining') ? reconnectSoonMs : reconnectAfterMs
  }

  /** Aborts when the client disconnects, or when the shutdown reaches this phase. */
  #untilGone(stream: AnswerStream, phase: ShutdownPhase): AbortSignal {
    const gone = new AbortController()
    const unsubscribe = this.#serving.shutdown.onPhase(phase, () => gone.abort())
    stream.onGone(() => gone.abort())
    stream.onClosed(unsubscribe)
    return gone.signal
  }

  /** False, after refusing the request, when this caller has too many open streams. */
  #opensStream({ principal }: Identity, response: ServerResponse): boolean {
    if (!this.#streams.open(principal)) {
      refuse(response, 503, 'Too many streams are open. Close some of them, then retry.')
      return false
    }
    response.once('close', () => this.#streams.close(principal))
    return true
  }

  /** The request headers that are forwarded to some server. */
  #forwarded({ headers }: IncomingMessage): Readonly<Record<string, string>> {
    const found = this.#serving.forwardedHeaders().flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)] as const]
    })
    return Object.fromEntries(found)
  }

  async #initialize(
    request: Request,
    response: ServerResponse,
    person: Identity,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    const begun = await this.#sessions.begin(person.principal, request, headers).catch((error: unknown) => {
      this.#onError(error)
      return { ok: false, reason: storeAway } as const
    })
    if (!begun.ok && 'reply' in begun) return new AnswerStream(response).end(begun.reply)
    if (!begun.ok) return refuse(response, 503, begun.reason)
    new AnswerStream(response, { [sessionHeader]: begun.session.id }).end(begun.reply)
  }

  async #get(request: IncomingMessage, response: ServerResponse, person: Identity): Promise<void> {
    if (this.#isDraining) return refuse(response, 503, aboutToStop)
    const session = await this.#session(request, response, person)
    if (session === undefined) return
    if (!this.#opensStream(person, response)) return
    const stream = new AnswerStream(response, { [sessionHeader]: session.id })
    stream.reconnectAfterMs = clientLimits.reconnectAfterMs
    const signal = this.#untilGone(stream, 'draining')
    const position = readStreamPosition(header(request, 'last-event-id') ?? '')
    if (position !== undefined) return this.#calls.takeUp(session, position, stream, signal, this.#forwarded(request))
    // End the stream only at shutdown: clients treat its end as a broken connection.
    signal.addEventListener('abort', () => stream.finish(this.#reconnectAfterMs), { once: true })
    stream.open()
    if (signal.aborted) return stream.finish()
    await session.listen((message) => stream.send(message), signal, this.#forwarded(request))
  }

  async #delete(request: IncomingMessage, response: ServerResponse, person: Identity): Promise<void> {
    const session = await this.#session(request, response, person)
    if (session === undefined) return
    if (!(await this.#sessions.end(session))) return noSuchSession(response)
    response.writeHead(200).end()
  }

  async #session(
    request: IncomingMessage,
    response: ServerResponse,
    person: Identity,
  ): Promise<ClientSession | undefined> {
    const id = header(request, sessionHeader)
    if (id === undefined) {
      refuse(response, 400, 'This request has no session. Start with initialize.')
      return undefined
    }
    const revision = header(request, 'mcp-protocol-version')?.trim()
    if (revision !== undefined && !sessionRevisions.includes(revision)) {
      refuse(response, 400, 'The revision in the header mcp-protocol-version is not supported.')
      return undefined
    }
    try {
      const session = await this.#sessions.find(id, person.principal)
      if (session === undefined) noSuchSession(response)
      return session
    } catch (error) {
      this.#onError(error)
      refuse(response, 503, storeAway)
      return undefined
    }
  }
}

/** Whether the request fetches the outcome of a deferred call, and so starts nothing new. */
function isFetching({ method, params }: Request): boolean {
  return method === 'tools/call' && params?.name === awaitTool
}

/** Whether the text is not JSON. A long text is not parsed to find out. */
function isNotJson(text: string): boolean {
  if (text.length > protocolLimits.messageLooseChars) return false
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}

function noSuchSession(response: ServerResponse): void {
  refuse(response, 404, 'Unknown session. Start again with initialize.')
}

function refuse(response: ServerResponse, status: number, message: string, code: number = errorCodes.refused): void {
  new AnswerStream(response).end(errorReply(null, code, message), status)
}
