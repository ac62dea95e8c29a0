// The MCP endpoint over HTTP, for both generations at once: each request says which one it is.
//
// The newest revision is recognised by what its requests carry; everything else belongs to a session.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Moment } from '../fleet/leaving.ts'
import { downstreamLimits, wireLimits } from '../limits.ts'
import type { Identity } from '../local-person.ts'
import { awaitTool } from '../surfaces/await-answer.ts'
import { header, mediaType, readBody } from '../wire/http.ts'
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
} from '../wire/messages.ts'
import { readPlace } from './2025-11-25/call-stream.ts'
import { CallStreams } from './2025-11-25/call-streams.ts'
import type { ClientSession } from './2025-11-25/session.ts'
import { SessionBook } from './2025-11-25/session-book.ts'
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
/** That a request of a session may name in its header. A client of the first one got a later one offered. */
const sessionRevisions = ['2024-11-05', batchRevision, '2025-06-18', '2025-11-25']
const aboutToStop = 'This gateway is about to stop. Send the request again, to another or a little later.'
const storeAway = 'The gateway cannot reach its database now. Nothing was done. Send the same again a little later.'

export class HttpEndpoint {
  readonly #serving: Serving
  readonly #sessions: SessionBook
  readonly #onTrouble: (error: unknown) => void
  readonly #calls: CallStreams
  readonly #streams = new StreamCount()
  #isLeaving = false

  constructor(serving: Serving, onTrouble: (error: unknown) => void) {
    this.#serving = serving
    this.#onTrouble = onTrouble
    this.#sessions = new SessionBook(serving, onTrouble)
    this.#calls = new CallStreams(serving, onTrouble)
  }

  async handle(request: IncomingMessage, response: ServerResponse, person: Identity): Promise<void> {
    if (request.method === 'POST') return this.#post(request, response, person)
    if (request.method === 'GET') return this.#get(request, response, person)
    if (request.method === 'DELETE') return this.#delete(request, response, person)
    response.writeHead(405, { allow: 'GET, POST, DELETE' }).end()
  }

  /** How many sessions this process has served lately. */
  get sessions(): number {
    return this.#sessions.size
  }

  /** From now on nothing new is begun. */
  leave(): void {
    this.#isLeaving = true
  }

  async close(): Promise<void> {
    await this.#sessions.close()
    this.#calls.close()
  }

  async #post(request: IncomingMessage, response: ServerResponse, person: Identity): Promise<void> {
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
    const batch = message === undefined ? readBatch(body) : undefined
    if (batch !== undefined) return this.#postBatch(request, response, person, batch)
    if (message === undefined) {
      if (isNoJson(body)) return refuse(response, 400, 'The body is not JSON.', errorCodes.parse)
      return refuse(response, 400, 'The body is not one JSON-RPC message.', errorCodes.invalidRequest)
    }
    const asked = isRequest(message) ? message : undefined
    // Answers are still taken, in either spelling, and results fetched: what waits for them shall come to its end.
    if (this.#isLeaving && asked !== undefined && !continuesRound(asked) && !isFetching(asked))
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
      else if (isNotification(message)) await this.#sessions.hear(session, message, headers)
    } catch (error) {
      // It belongs to a call at another replica, and there is no way to get it there now.
      this.#onTrouble(error)
      return refuse(response, 503, storeAway)
    }
    // After what it has set in motion: a server waits for the answer, and nobody for this.
    setImmediate(() => response.writeHead(202).end())
  }

  /** Several messages at once, which only 2025-03-26 has. Their replies come on one stream, each when it is there. */
  async #postBatch(
    request: IncomingMessage,
    response: ServerResponse,
    person: Identity,
    batch: readonly Message[],
  ): Promise<void> {
    const requests = batch.filter(isRequest)
    if (this.#isLeaving && requests.length > 0) return refuse(response, 503, aboutToStop)
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
        else if (isNotification(message)) await this.#sessions.hear(session, message, headers)
      }
    } catch (error) {
      this.#onTrouble(error)
      return refuse(response, 503, storeAway)
    }
    if (requests.length === 0) return void response.writeHead(202).end()
    const stream = new AnswerStream(response, { [sessionHeader]: session.id })
    const signal = this.#untilGone(stream, 'over')
    stream.open()
    await Promise.all(
      requests.map(async (asked) => {
        const reply = await session.answer(asked, (message) => stream.say(message), signal, headers)
        await this.#sessions.granted(session, asked, reply).catch(this.#onTrouble)
        stream.say(reply)
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
    const reply = await session.answer(request, (message) => stream.say(message), stream.signal, { headers, kept })
    await this.#sessions.granted(session, request, reply).catch(this.#onTrouble)
    this.#calls.end(stream, reply, answering)
    await kept.ended(reply).catch(this.#onTrouble)
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
    const signal = this.#untilGone(stream, isListening ? 'hand-over' : 'over')
    const headers = parameterHeaders(request, message)
    const { principal, client } = person
    const requestHeaders = this.#forwarded(request)
    const known = client === undefined ? {} : { client }
    const caller = { principal, headers, requestHeaders, signal, mayReconnect: true, ...known }
    await serve20260728(this.#serving, caller, message, stream)
  }

  /** When a client whose stream ends now is to come back: soon, where it finds another gateway. */
  get #comesBackAfterMs(): number {
    const { comesBackAfterMs, comesBackSoonMs } = downstreamLimits
    return this.#serving.store.isShared && this.#serving.leaving.has('hand-over') ? comesBackSoonMs : comesBackAfterMs
  }

  /** Aborts when the client is gone, and when this process leaves, at this moment. */
  #untilGone(stream: AnswerStream, moment: Moment): AbortSignal {
    const gone = new AbortController()
    const forget = this.#serving.leaving.at(moment, () => gone.abort())
    stream.onGone(() => gone.abort())
    stream.onClosed(forget)
    return gone.signal
  }

  /** False when this caller has too many already; then the request is refused. */
  #opensStream({ principal }: Identity, response: ServerResponse): boolean {
    if (!this.#streams.open(principal)) {
      refuse(response, 503, 'You have too many streams open. Close some of them, then listen again.')
      return false
    }
    response.once('close', () => this.#streams.close(principal))
    return true
  }

  /** Of its headers, those that some server gets. */
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
      this.#onTrouble(error)
      return { ok: false, reason: storeAway } as const
    })
    if (!begun.ok && 'reply' in begun) return new AnswerStream(response).end(begun.reply)
    if (!begun.ok) return refuse(response, 503, begun.reason)
    new AnswerStream(response, { [sessionHeader]: begun.session.id }).end(begun.reply)
  }

  async #get(request: IncomingMessage, response: ServerResponse, person: Identity): Promise<void> {
    if (this.#isLeaving) return refuse(response, 503, aboutToStop)
    const session = await this.#session(request, response, person)
    if (session === undefined) return
    if (!this.#opensStream(person, response)) return
    const stream = new AnswerStream(response, { [sessionHeader]: session.id })
    stream.comesBackAfterMs = downstreamLimits.comesBackAfterMs
    const signal = this.#untilGone(stream, 'hand-over')
    const place = readPlace(header(request, 'last-event-id') ?? '')
    if (place !== undefined) return this.#calls.takeUp(session, place, stream, signal, this.#forwarded(request))
    // Not when nothing more will come: clients take the end of it for a broken connection.
    signal.addEventListener('abort', () => stream.finish(this.#comesBackAfterMs), { once: true })
    stream.open()
    if (signal.aborted) return stream.finish()
    await session.listen((message) => stream.say(message), signal, this.#forwarded(request))
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
      refuse(response, 400, 'This request belongs to no session. Begin with initialize.')
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
      this.#onTrouble(error)
      refuse(response, 503, storeAway)
      return undefined
    }
  }
}

/** Whether it asks what became of a call that was put off, and begins nothing. */
function isFetching({ method, params }: Request): boolean {
  return method === 'tools/call' && params?.name === awaitTool
}

/** Whether a text that is no message is not even JSON. A long one is not parsed to find out. */
function isNoJson(text: string): boolean {
  if (text.length > wireLimits.messageLooseChars) return false
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}

function noSuchSession(response: ServerResponse): void {
  refuse(response, 404, 'There is no such session. Begin again with initialize.')
}

function refuse(response: ServerResponse, status: number, message: string, code: number = errorCodes.refused): void {
  new AnswerStream(response).end(errorReply(null, code, message), status)
}
