// One session with a server of the session-based revisions, shared by the calls of one client.
//
// In these revisions a question does not always name the call it belongs to. It is attributed by our `_meta` key or by
// the request stream that it arrived on; else to the only call in progress; else to the session: then one of the calls
// in progress carries it, and the person sees all of them (decision 0014).

import { type JsonObject, readAskMeta } from '@assent/core'
import {
  type Call,
  type ClientProfile,
  type Description,
  failed,
  type Outcome,
  reasonOf,
  unsent,
} from '../../call/model.ts'
import { serverLimits } from '../../limits.ts'
import {
  errorCodes,
  errorReply,
  isReply,
  isRequest,
  type Message,
  type Notification,
  objectAt,
  type Reply,
  type Request,
  type RequestId,
  resultReply,
  stringAt,
} from '../../protocol/messages.ts'
import { within } from '../../protocol/within.ts'
import { withToken, withTokenOf } from '../progress-token.ts'
import { type Timeouts, timeoutsOf } from '../timeouts.ts'
import { type Transport, TransportClosed, type TransportEvents, TransportRefusal } from '../transport.ts'
import { LiveCall, type LiveCallStart, type Moving, replyOutcome } from './live-call.ts'
import { type Asker, OutsideCalls } from './outside-calls.ts'

export type OpenTransport = (events: TransportEvents) => Transport & { revision?: string; openStream?(): Promise<void> }

const newest = '2025-11-25'
const supportedRevisions = ['2024-11-05', '2025-03-26', '2025-06-18', newest]

/** The server did not open a session. */
export class OpenRefused extends Error {
  /** The HTTP status of its response. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.name = 'OpenRefused'
    this.status = status
  }
}

export interface SessionEvents extends Asker {
  readonly timeouts?: Timeouts | undefined
  readonly onNotification: (notification: Notification) => void
}

/** A request in which the server cannot ask. */
interface Plain {
  readonly onReply: (reply: Reply) => void
  readonly onGone: (outcome: Outcome) => void
  readonly call: Pick<Call, 'params' | 'notify'>
}

export class Session {
  readonly #wire: ReturnType<OpenTransport>
  readonly #plain = new Map<RequestId, Plain>()
  /** In start order. */
  readonly #live = new Map<RequestId, { readonly call: LiveCall; readonly end: (outcome: Outcome) => void }>()
  /** Ended calls that still carry a question that another call may have asked. */
  readonly #staying = new Set<LiveCall>()
  /** Abandoned calls that the server may still be processing. */
  readonly #abandoned = new Map<RequestId, NodeJS.Timeout>()
  readonly #outside: OutsideCalls
  readonly #onNotification: SessionEvents['onNotification']
  readonly #timeouts: Timeouts
  #lastId = 0
  #closedBecause: string | undefined
  #isSuspect = false
  /** The last cancellation, to be sent before the connection closes. */
  #lastCancellation: Promise<void> = Promise.resolve()
  description: Description = { capabilities: {}, info: {} }
  logLevel: string | undefined

  private constructor(open: OpenTransport, capabilities: JsonObject, events: SessionEvents) {
    this.#timeouts = events.timeouts ?? timeoutsOf()
    this.#onNotification = events.onNotification
    this.#outside = new OutsideCalls(capabilities, events, (reply) => void this.#sendOrLose(reply))
    this.#wire = open({
      onMessage: (message, origin) => this.#receive(message, origin),
      onUnanswered: (id, reason) => this.#unanswered(id, reason),
      onClosed: (reason) => this.#lose(reason),
    })
  }

  static async open(open: OpenTransport, client: ClientProfile, events: SessionEvents): Promise<Session> {
    const session = new Session(open, client.capabilities, events)
    try {
      await session.#initialize(client)
      return session
    } catch (error) {
      session.close()
      throw error
    }
  }

  get isOpen(): boolean {
    return this.#closedBecause === undefined
  }

  /** Whether no call runs and no abandoned call may still ask on it. */
  get isClean(): boolean {
    return this.#live.size === 0 && this.#abandoned.size === 0
  }

  /** Whether the session is usable. Pings the server if a request ended without a reply. */
  async isAlive(): Promise<boolean> {
    if (this.#isSuspect && this.isOpen) {
      this.#isSuspect = false
      if (!(await this.#answersPing())) this.#closedBecause ??= 'The server no longer answers on this session.'
    }
    return this.isOpen
  }

  /** Starts a call that may ask. */
  begin(started: Omit<LiveCallStart, 'requestId'>): LiveCall {
    const requestId = this.#nextId()
    const { call } = started
    const live = new LiveCall({ ...started, requestId }, (reply) => this.#sendOrLose(reply))
    const end = (outcome: Outcome) => this.#end(live, outcome)
    this.#live.set(requestId, { call: live, end })
    const params = withToken(call.params, requestId)
    this.#wire.send({ jsonrpc: '2.0', id: requestId, method: call.method, params }).catch((error: unknown) => {
      // The server may have received the request, and may ask later.
      if (!(error instanceof TransportRefusal || error instanceof TransportClosed)) this.#abandon(requestId)
      end(this.#refusal(error))
    })
    for (const request of this.#outside.take()) live.onRequest(request)
    return live
  }

  /** The client listens now: ask it what the server requested before. */
  onListening(): void {
    for (const request of this.#outside.take()) this.#asked(request, undefined)
  }

  /** Cancels a call at the server: its reply is no longer needed. */
  cancel(live: LiveCall, reason: string): void {
    const isOver = live.isFinished
    // A server may ignore the cancellation and ask later.
    if (!isOver) this.#abandon(live.requestId)
    const outcome = failed(errorCodes.refused, reason)
    this.#ended(live, live.leave(outcome))
    if (!isOver) this.#sendCancellation(live.requestId, reason)
  }

  /** Sends a request in which the server cannot ask. */
  async request(
    method: string,
    params: JsonObject | undefined,
    call?: Pick<Call, 'notify' | 'signal'>,
  ): Promise<Outcome> {
    // An earlier abort fires no event, so check for it here, before anything is sent.
    if (call?.signal.aborted === true) return failed(errorCodes.refused, 'The caller disconnected.')
    const id = this.#nextId()
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const timer = setTimeout(() => resolve(failed(errorCodes.refused, 'The server timed out.')), this.#timeouts.replyMs)
    const abort = () => {
      const reason = 'The caller disconnected.'
      resolve(failed(errorCodes.refused, reason))
      this.#sendCancellation(id, reason)
    }
    this.#plain.set(id, {
      onReply: (reply) => resolve(replyOutcome(reply)),
      onGone: resolve,
      call: { params: params ?? {}, notify: call?.notify ?? this.#onNotification },
    })
    this.#wire
      .send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params: withToken(params, id) }) })
      .catch((error: unknown) => resolve(this.#refusal(error)))
    call?.signal.addEventListener('abort', abort, { once: true })
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      call?.signal.removeEventListener('abort', abort)
      this.#plain.delete(id)
    }
  }

  notify(notification: Notification): void {
    void this.#sendOrLose(notification)
  }

  close(): void {
    this.#closedBecause ??= 'The connection was closed.'
    for (const timer of this.#abandoned.values()) clearTimeout(timer)
    this.#abandoned.clear()
    this.#outside.take()
    this.#endAll(failed(errorCodes.refused, 'The connection to the server was closed.'))
    void within(serverLimits.cancelMs, this.#lastCancellation).then(() => this.#wire.close())
  }

  async #initialize({ capabilities, info }: ClientProfile): Promise<void> {
    const clientInfo = { name: 'assent', version: '0', ...info }
    const opening = this.request('initialize', { protocolVersion: newest, capabilities, clientInfo })
    const outcome = (await within(this.#timeouts.openMs, opening)) ?? timedOut
    if (outcome.kind === 'failed') throw new OpenRefused(outcome.error.message, outcome.status)
    if (outcome.kind !== 'finished') throw new OpenRefused('The server asked a question before its session was open.')
    const { result } = outcome
    const revision = stringAt(result, 'protocolVersion') ?? ''
    if (!supportedRevisions.includes(revision)) throw new Error(`The server requires the revision "${revision}".`)
    const instructions = stringAt(result, 'instructions')
    this.description = {
      capabilities: objectAt(result, 'capabilities') ?? {},
      info: objectAt(result, 'serverInfo') ?? {},
      ...(instructions === undefined ? {} : { instructions }),
    }
    if ('revision' in this.#wire) this.#wire.revision = revision
    const initialized = this.#wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' }).then(() => outcome)
    const sent = (await within(this.#timeouts.openMs, initialized)) ?? timedOut
    if (sent.kind === 'failed') throw new Error(sent.error.message)
    // Limited wait: some servers send no response headers on this stream before their first message.
    await within(serverLimits.streamMs, Promise.resolve(this.#wire.openStream?.()))
  }

  #receive(message: Message, origin: RequestId | undefined): void {
    if (isReply(message)) {
      if (message.id !== null) this.#replied(message.id, message)
    } else if (isRequest(message)) {
      if (message.method === 'ping') void this.#sendOrLose(resultReply(message.id, {}))
      else this.#asked(message, origin)
    } else this.#notified(message, origin)
  }

  #replied(id: RequestId, reply: Reply): void {
    clearTimeout(this.#abandoned.get(id))
    this.#abandoned.delete(id)
    this.#plain.get(id)?.onReply(reply)
    this.#live.get(id)?.end(replyOutcome(reply))
  }

  /** A request of the server, attributed to one of the calls in progress. */
  #asked(request: Request, origin: RequestId | undefined): void {
    const from = readAskMeta(request.params)?.call ?? origin
    const known = from === undefined ? undefined : this.#live.get(from)?.call
    const calls = [...this.#live.values()].map(({ call }) => call)
    const isOnly = calls.length === 1 && this.#abandoned.size === 0
    if (known !== undefined) known.onRequest(request)
    else if (from !== undefined && this.#abandoned.has(from)) this.#refuse(request, 'The call was cancelled.')
    else if (calls.length === 0) this.#outside.asked(request)
    else carrierOf(calls)?.onRequest(request, isOnly ? undefined : calls)
  }

  #notified(notification: Notification, origin: RequestId | undefined): void {
    const { method, params } = notification
    if (method === 'notifications/cancelled') {
      const calls = [...[...this.#live.values()].map(({ call }) => call), ...this.#staying]
      const isKnown = calls.some((call) => call.onCancelled(params?.requestId))
      if (isKnown) return
    }
    const token = method === 'notifications/progress' ? params?.progressToken : undefined
    const from = (typeof token === 'number' ? token : undefined) ?? origin
    const plain = from === undefined ? undefined : this.#plain.get(from)
    if (plain !== undefined && belongsToCalls(method)) {
      plain.call.notify(withTokenOf(notification, plain.call))
      return
    }
    const known = from === undefined ? undefined : this.#live.get(from)?.call
    const call = known ?? [...this.#live.values()].at(-1)?.call
    if (call !== undefined && belongsToCalls(method)) call.onNotification(notification)
    else this.#onNotification(notification)
  }

  #refuse({ id }: Request, reason: string): void {
    void this.#sendOrLose(errorReply(id, errorCodes.refused, reason))
  }

  #end(live: LiveCall, outcome: Outcome): void {
    this.#ended(live, live.finish(outcome))
  }

  #ended(live: LiveCall, moving: readonly Moving[]): void {
    this.#live.delete(live.requestId)
    for (const question of moving) carrierOf(question.askers)?.carryOn(question)
    this.#staying.add(live)
    for (const one of this.#staying) {
      one.closeOrphans()
      if (!one.isAsking) this.#staying.delete(one)
    }
  }

  /** For a while, questions of this call are not attributed to another call. */
  #abandon(id: RequestId): void {
    const remove = () => this.#abandoned.delete(id)
    const timer = setTimeout(remove, serverLimits.abandonedMs)
    timer.unref()
    this.#abandoned.set(id, timer)
  }

  #sendCancellation(requestId: RequestId, reason: string): void {
    const params = { requestId, reason }
    this.#lastCancellation = this.#wire
      .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      .catch(() => undefined)
  }

  /** Any reply counts, also an error: a server that does not know `ping` is alive. */
  async #answersPing(): Promise<boolean> {
    const id = this.#nextId()
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), serverLimits.sessionCheckMs)
    const call = { params: {}, notify: this.#onNotification }
    this.#plain.set(id, { onReply: () => resolve(true), onGone: () => resolve(false), call })
    this.#wire.send({ jsonrpc: '2.0', id, method: 'ping' }).catch(() => resolve(false))
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#plain.delete(id)
    }
  }

  #unanswered(id: RequestId, reason: string): void {
    this.#isSuspect = true
    const gone = failed(errorCodes.refused, `The server disconnected. ${reason}`)
    this.#plain.get(id)?.onGone(gone)
    const live = this.#live.get(id)
    if (live === undefined) return
    this.#abandon(id)
    live.end(gone)
  }

  #lose(reason: string): void {
    this.#closedBecause ??= reason
    this.#endAll(failed(errorCodes.refused, `The server disconnected. ${reason}`))
  }

  #endAll(outcome: Outcome): void {
    for (const { onGone } of [...this.#plain.values()]) onGone(outcome)
    for (const { call } of [...this.#live.values()]) this.#ended(call, call.leave(outcome))
  }

  #refusal(error: unknown): Outcome {
    if (!(error instanceof TransportRefusal)) {
      const words = `The server cannot be used now. ${reasonOf(error)}`
      if (!(error instanceof TransportClosed)) {
        this.#isSuspect = true
        return failed(errorCodes.refused, words)
      }
      this.#closedBecause ??= reasonOf(error)
      return unsent(errorCodes.refused, words)
    }
    // After a restart a server has lost its sessions, and answers with 404.
    if (error.status === 404) this.#closedBecause ??= 'The server no longer has this session.'
    const reply = error.reply !== undefined && isReply(error.reply) ? error.reply : undefined
    const outcome = reply === undefined ? failed(errorCodes.refused, error.message) : replyOutcome(reply)
    return outcome.kind === 'failed' ? { ...outcome, status: error.status } : outcome
  }

  /** True when the message was sent. On failure the session is closed. */
  async #sendOrLose(message: Message): Promise<boolean> {
    try {
      await this.#wire.send(message)
      return true
    } catch (error) {
      this.#lose(reasonOf(error))
      return false
    }
  }

  #nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }
}

/**
 * The call that started first of those that carry no question: servers mostly ask in the order of their calls, and no
 * question waits for another.
 */
function carrierOf(calls: readonly LiveCall[]): LiveCall | undefined {
  return calls.find(({ isAsking }) => !isAsking) ?? calls.at(-1)
}

function belongsToCalls(method: string): boolean {
  return ['notifications/progress', 'notifications/message', 'notifications/cancelled'].includes(method)
}

const timedOut = failed(errorCodes.refused, 'The server did not respond in time.')
