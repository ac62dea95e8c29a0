// The MCP endpoint over HTTP, for both protocol generations.
//
// Requests of the newest revision name it in their body or header; every other request belongs to a session. A request
// that belongs to another replica is forwarded to it.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { callerFacts, type Identity } from '../call/local-person.ts'
import type { Call } from '../call/model.ts'
import { awaitTool } from '../call/route/await-answer.ts'
import type { ShutdownPhase } from '../call/shutdown.ts'
import { refuseForwarded } from '../cluster/forwarder.ts'
import type { ForwardedIn } from '../cluster/listener.ts'
import { replicaOf } from '../cluster/replica-names.ts'
import { clientLimits } from '../limits.ts'
import { header, mediaType, readBody } from '../protocol/http.ts'
import {
  errorCodes,
  errorReply,
  isNotification,
  isNotJson,
  isReply,
  isRequest,
  type Message,
  type Request,
  readBatch,
  readMessage,
} from '../protocol/messages.ts'
import { readStreamPosition } from './2025-11-25/resume/call-stream.ts'
import { CallStreams } from './2025-11-25/resume/call-streams.ts'
import { type FoundSession, SessionBook } from './2025-11-25/resume/session-book.ts'
import { type ClientSession, cancelledBy } from './2025-11-25/session.ts'
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
import { type Arrived, type Served, ToOtherReplicas } from './to-others.ts'

const sessionHeader = 'mcp-session-id'
const batchRevision = '2025-03-26'
/** Revisions that a session's request may name in its header. 2024-11-05 clients were offered a later one. */
const sessionRevisions = ['2024-11-05', batchRevision, '2025-06-18', '2025-11-25']
const aboutToStop = 'This gateway is shutting down. Retry at another replica, or later.'
const ownerUnreached =
  'The gateway that serves this session cannot be reached now. Nothing was done. Retry in a few seconds.'
const storeAway = 'The gateway cannot reach its database. Nothing was done. Retry later.'

export class HttpEndpoint {
  readonly #serving: Serving
  readonly #sessions: SessionBook
  readonly #onError: (error: unknown) => void
  readonly #calls: CallStreams
  readonly #others: ToOtherReplicas
  readonly #streams = new StreamCount()
  #isDraining = false

  /** @param path where this endpoint is, also at the other replicas */
  constructor(serving: Serving, path: string, onError: (error: unknown) => void) {
    this.#serving = serving
    this.#others = new ToOtherReplicas(serving, path, onError)
    this.#onError = onError
    this.#sessions = new SessionBook(serving, onError)
    this.#calls = new CallStreams(serving, onError)
  }

  async handle(request: IncomingMessage, response: ServerResponse, person: Identity): Promise<void> {
    const arrived = { request, response, person, body: '', isForwarded: false }
    if (request.method !== 'POST') return this.#respond(arrived)
    if (mediaType(request) !== 'application/json') return refuse(response, 415, 'Messages must be application/json.')
    const body = await readBody(request).catch(() => null)
    // The client disconnected while sending: nothing to answer, and not an error of the gateway.
    if (body === null) return void response.destroy()
    if (body === undefined) {
      // The rest of the body is not read, so the connection cannot be reused.
      response.setHeader('connection', 'close')
      return refuse(response, 413, 'The message is too large.')
    }
    return this.#respond({ ...arrived, body })
  }

  /** Serves a request that another replica forwarded, which has checked everything that concerns its sender. */
  async handleForwarded({ request, response, by, body }: ForwardedIn): Promise<void> {
    const person = { principal: by.principal, ...callerFacts(by) }
    return this.#respond({ request, response, person, body, isForwarded: true })
  }

  async #respond(arrived: Arrived): Promise<void> {
    const { method } = arrived.request
    if (method === 'POST') return this.#post(arrived)
    if (method === 'GET') return this.#get(arrived)
    if (method === 'DELETE') return this.#delete(arrived)
    arrived.response.writeHead(405, { allow: 'GET, POST, DELETE' }).end()
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

  async #post(arrived: Arrived): Promise<void> {
    const { request, response, body, isForwarded } = arrived
    const message = readMessage(body)
    const batch = message === undefined ? readBatch(body) : undefined
    if (batch !== undefined) return this.#postBatch(arrived, batch)
    if (message === undefined) {
      if (isNotJson(body)) return refuse(response, 400, 'The body is not JSON.', errorCodes.parse)
      return refuse(response, 400, 'The body is not one JSON-RPC message.', errorCodes.invalidRequest)
    }
    const asked = isRequest(message) ? message : undefined
    // While draining, answers (of both generations) and result fetches are still accepted, so that open calls can end.
    if (this.#isDraining && asked !== undefined && (isForwarded || !(continuesRound(asked) || isFetching(asked))))
      return this.#refuseNew(arrived)
    if (claimsRevision(asked, header(request, 'mcp-protocol-version')?.trim()))
      return this.#postNewest(arrived, message)
    const headers = this.#forwarded(request)
    if (asked?.method === 'initialize') return this.#initialize(asked, arrived, headers)
    const session = await this.#session(arrived, {
      asked,
      ...(isReply(message) ? { named: replicaOf(message.id) } : {}),
    })
    if (session === undefined) return
    if (asked !== undefined) return this.#answer(session, asked, arrived, headers)
    if (!isRequest(message)) await this.#take(session, message, headers)
    // Sent after the answer is processed: a server waits for the answer, while the 202 is not urgent.
    setImmediate(() => response.writeHead(202).end())
  }

  /** An answer to a question, or a notification. */
  async #take(session: ClientSession, message: Message, headers: Readonly<Record<string, string>>): Promise<void> {
    if (isReply(message)) {
      // The replica that asked is gone. Its call may continue here.
      if (session.waitsFor(message.id) || replicaOf(message.id) === this.#serving.replica) session.take(message)
      else session.takeEarly(message)
    } else if (isNotification(message)) {
      const id = cancelledBy(message)
      if (id === undefined) await session.receive(message, headers)
      else session.cancel(id)
    }
  }

  /** This replica is shutting down: another one that forwarded the request serves it instead. */
  #refuseNew({ response, isForwarded }: Arrived): void {
    if (isForwarded) refuseForwarded(response)
    else refuse(response, 503, aboutToStop)
  }

  /** A batch, which only 2025-03-26 has. The replies are sent on one stream, each as soon as it is available. */
  async #postBatch(arrived: Arrived, batch: readonly Message[]): Promise<void> {
    const { request, response } = arrived
    const requests = batch.filter(isRequest)
    if (this.#isDraining && requests.length > 0) return this.#refuseNew(arrived)
    const session = await this.#session(arrived, { asked: requests[0] })
    if (session === undefined) return
    if (
      session.revision !== batchRevision ||
      batch.length === 0 ||
      requests.some(({ method }) => method === 'initialize')
    )
      return refuse(response, 400, 'The body is not one JSON-RPC message.', errorCodes.invalidRequest)
    const headers = this.#forwarded(request)
    for (const message of batch) if (!isRequest(message)) await this.#take(session, message, headers)
    if (requests.length === 0) return void response.writeHead(202).end()
    const stream = new AnswerStream(response, { [sessionHeader]: session.id })
    const signal = this.#untilGone(stream, 'closed')
    stream.open()
    await Promise.all(
      requests.map(async (asked) => {
        const by = { headers, facts: callerFacts(arrived.person) }
        const reply = await session.answer(asked, (message) => stream.send(message), signal, by)
        await this.#sessions.granted(session, asked, reply).catch(this.#onError)
        stream.send(reply)
      }),
    )
    stream.finish()
  }

  async #answer(
    session: ClientSession,
    request: Request,
    { response, person }: Arrived,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    const answering = new AnswerStream(response, { [sessionHeader]: session.id })
    const stream = this.#calls.begin(session, request, answering)
    const kept = this.#calls.keeps(session, stream)
    const by = { headers, facts: callerFacts(person), kept }
    const reply = await session.answer(request, (message) => stream.send(message), stream.signal, by)
    await this.#sessions.granted(session, request, reply).catch(this.#onError)
    this.#calls.end(stream, reply, answering)
    await kept?.ended(reply).catch(this.#onError)
  }

  async #postNewest(arrived: Arrived, message: Message): Promise<void> {
    const { request, response, person, isForwarded } = arrived
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
    const { principal } = person
    const requestHeaders = this.#forwarded(request)
    const caller = { principal, headers, requestHeaders, signal, mayReconnect: true, ...callerFacts(person) }
    const isServedElsewhere = isForwarded
      ? undefined
      : (call: Call) => this.#others.serveWhereStateIs(call, arrived, message)
    await serve20260728(this.#serving, caller, message, stream, isServedElsewhere)
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
    { response, person }: Arrived,
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

  async #get(arrived: Arrived): Promise<void> {
    const { request, response, person, isForwarded } = arrived
    const position = readStreamPosition(header(request, 'last-event-id') ?? '')
    if (this.#isDraining && !isForwarded) return refuse(response, 503, aboutToStop)
    const session = await this.#session(arrived, { named: position?.replica })
    if (session === undefined) return
    const isHere = position !== undefined && this.#calls.has(session, position)
    if (isForwarded && this.#isDraining && !isHere) return this.#refuseNew(arrived)
    if (!this.#opensStream(person, response)) return
    const stream = new AnswerStream(response, { [sessionHeader]: session.id })
    if (this.#serving.resumes) stream.reconnectAfterMs = clientLimits.reconnectAfterMs
    const signal = this.#untilGone(stream, this.#isDraining ? 'closed' : 'draining')
    if (position !== undefined) {
      const by = { headers: this.#forwarded(request), facts: callerFacts(person) }
      return this.#calls.takeUp(session, position, stream, signal, by)
    }
    // Not before shutdown, or before the session has ended or moved: clients treat the end as a broken connection.
    const ends = AbortSignal.any([signal, session.ended])
    ends.addEventListener('abort', () => stream.finish(this.#reconnectAfterMs), { once: true })
    stream.open()
    if (signal.aborted) return stream.finish()
    await session.listen((message) => stream.send(message), signal, this.#forwarded(request))
  }

  async #delete(arrived: Arrived): Promise<void> {
    const session = await this.#session(arrived)
    if (session === undefined) return
    if (!(await this.#sessions.end(session))) return noSuchSession(arrived.response)
    arrived.response.writeHead(200).end()
  }

  /**
   * The session of a request that is served here. Undefined when the request was answered already: refused, or served
   * by another replica.
   */
  async #session(arrived: Arrived, about: About = {}): Promise<ClientSession | undefined> {
    const { request, response, person, isForwarded } = arrived
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
      let found = await this.#sessions.find(id, person, !isForwarded)
      // Twice, because another replica may take the session over at the same moment.
      for (let attempt = 0; attempt < 2 && found !== undefined && !isForwarded; attempt++) {
        const served = await this.#servedElsewhere(arrived, found, about)
        if (served === 'served') return undefined
        if (served === 'unreached') {
          refuse(response, 503, ownerUnreached)
          return undefined
        }
        if (found.kind === 'here') return found.session
        found = await this.#sessions.takeOver(id, person, found.owner)
        if (found?.kind === 'here') return found.session
      }
      if (found === undefined) noSuchSession(response)
      else if (found.kind === 'here') return found.session
      else if (isForwarded) refuseForwarded(response)
      else refuse(response, 503, ownerUnreached)
    } catch (error) {
      this.#onError(error)
      refuse(response, 503, storeAway)
    }
    return undefined
  }

  /** Forwards a request of a session to the replica that asked the question or runs the call, or else to its owner. */
  async #servedElsewhere(arrived: Arrived, found: FoundSession, { named, asked }: About): Promise<Served> {
    const { method } = arrived.request
    const isCopied = asked === undefined && (method === 'DELETE' || (method === 'POST' && named === undefined))
    // A call that began before the session moved is cancelled, and ended with its session, where it runs.
    const copy = () => void this.#others.copyTo(found.movedFrom, arrived).catch(this.#onError)
    if (isCopied && method === 'DELETE') arrived.response.once('finish', copy)
    else if (isCopied) copy()
    const owner = found.kind === 'elsewhere' ? found.owner : undefined
    if (named !== undefined && named !== owner) {
      const served = await this.#others.serve(named, arrived)
      if (served !== 'refused') return served
    }
    return this.#others.serve(owner, arrived, asked)
  }
}

/** What decides where a request of a session is served, besides the session. */
interface About {
  /** The replica in the name of the question or stream that it refers to. */
  readonly named?: string | undefined
  /** The request in it that must not run twice. */
  readonly asked?: Request | undefined
}

/** Whether the request fetches the outcome of a deferred call, and so starts nothing new. */
function isFetching({ method, params }: Request): boolean {
  return method === 'tools/call' && params?.name === awaitTool
}

function noSuchSession(response: ServerResponse): void {
  refuse(response, 404, 'Unknown session. Start again with initialize.')
}

function refuse(response: ServerResponse, status: number, message: string, code: number = errorCodes.refused): void {
  new AnswerStream(response).end(errorReply(null, code, message), status)
}
