// One session with a server of the sessionful revisions.
//
// It carries at most one call that may ask at a time: in these revisions a question does not always say which call it
// belongs to, so the only exact attribution is that there is just one. Requests that cannot ask may run beside it.

import type { JsonObject } from '@assent/core'
import { upstreamLimits } from '../../limits.ts'
import {
  type Call,
  type ClientProfile,
  type Description,
  failed,
  type Outcome,
  reasonOf,
} from '../../relay/exchange.ts'
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
} from '../../wire/messages.ts'
import { type Wire, type WireEvents, WireRefusal } from '../wire.ts'
import { LiveCall, outcomeOf } from './live-call.ts'
import { readQuestion } from './questions.ts'

export type OpenWire = (events: WireEvents) => Wire & { revision?: string; openStream?(): Promise<void> }

const newest = '2025-11-25'
const spoken = ['2024-11-05', '2025-03-26', '2025-06-18', newest]

/** The server did not open a session. */
export class OpenRefused extends Error {
  /** Of its answer over HTTP. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.name = 'OpenRefused'
    this.status = status
  }
}

export interface SessionEvents {
  readonly onNotification: (notification: Notification) => void
  /** The server asked a question while none of its calls was in progress. */
  readonly onStray: () => void
}

export class Session {
  readonly #wire: ReturnType<OpenWire>
  readonly #waiting = new Map<RequestId, (reply: Reply) => void>()
  readonly #onNotification: SessionEvents['onNotification']
  readonly #onStray: SessionEvents['onStray']
  #live: LiveCall | undefined
  #lastId = 0
  #closedBecause: string | undefined
  /** What is still to be said before the connection may close. */
  #farewell: Promise<void> = Promise.resolve()
  description: Description = { capabilities: {}, info: {} }
  logLevel: string | undefined

  private constructor(open: OpenWire, { onNotification, onStray }: SessionEvents) {
    this.#onNotification = onNotification
    this.#onStray = onStray
    this.#wire = open({
      onMessage: (message) => this.#receive(message),
      onClosed: (reason) => this.#lose(reason),
    })
  }

  static async open(open: OpenWire, client: ClientProfile, events: SessionEvents): Promise<Session> {
    const session = new Session(open, events)
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

  get isBusy(): boolean {
    return this.#live !== undefined
  }

  /** Starts a call that may ask. The session is its alone until it has finished. */
  begin(id: string, call: Call, waitMs: number): LiveCall {
    const requestId = this.#nextId()
    const live = new LiveCall(id, requestId, call, waitMs, (reply) => this.#sendOrLose(reply))
    this.#live = live
    const end = (outcome: Outcome) => {
      this.#waiting.delete(requestId)
      this.#live = undefined
      live.finish(outcome)
    }
    this.#waiting.set(requestId, (reply) => end(outcomeOf(reply)))
    const request = { jsonrpc: '2.0', id: requestId, method: call.method, params: call.params } as const
    this.#wire.send(request).catch((error: unknown) => {
      // Perhaps the server got it all the same, and asks later: this session carries no other call.
      if (!(error instanceof WireRefusal)) this.#closedBecause ??= 'Its call may have been lost.'
      end(this.#refusal(error))
    })
    return live
  }

  /** Tells the server that nobody wants the reply any more. */
  cancel(live: LiveCall, reason: string): void {
    this.#waiting.delete(live.requestId)
    this.#live = undefined
    live.finish(failed(errorCodes.refused, reason))
    // A server may go on regardless and ask later, and nobody could tell that question from one of the next call's. So
    // this session carries no other.
    this.#closedBecause ??= 'Its call was cancelled.'
    const params = { requestId: live.requestId, reason }
    this.#farewell = this.#wire
      .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      .catch(() => undefined)
  }

  /** A request that cannot ask anything. */
  async request(method: string, params: JsonObject | undefined): Promise<Outcome> {
    const id = this.#nextId()
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const timer = setTimeout(
      () => resolve(failed(errorCodes.refused, 'The server took too long.')),
      upstreamLimits.replyMs,
    )
    this.#waiting.set(id, (reply) => resolve(outcomeOf(reply)))
    this.#wire
      .send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
      .catch((error: unknown) => resolve(this.#refusal(error)))
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(id)
    }
  }

  notify(notification: Notification): void {
    void this.#sendOrLose(notification)
  }

  close(): void {
    this.#closedBecause ??= 'The connection was closed.'
    void this.#farewell.then(() => this.#wire.close())
  }

  async #initialize({ capabilities, info }: ClientProfile): Promise<void> {
    const clientInfo = { name: 'assent', version: '0', ...info }
    const opening = this.request('initialize', { protocolVersion: newest, capabilities, clientInfo })
    const outcome = await Promise.race([opening, after(upstreamLimits.openMs)])
    if (outcome.kind === 'failed') throw new OpenRefused(outcome.error.message, outcome.status)
    if (outcome.kind !== 'finished') throw new OpenRefused('The server asked a question before its session was open.')
    const { result } = outcome
    const revision = stringAt(result, 'protocolVersion') ?? ''
    if (!spoken.includes(revision)) throw new Error(`The server wants to speak the revision "${revision}".`)
    const instructions = stringAt(result, 'instructions')
    this.description = {
      capabilities: objectAt(result, 'capabilities') ?? {},
      info: objectAt(result, 'serverInfo') ?? {},
      ...(instructions === undefined ? {} : { instructions }),
    }
    if ('revision' in this.#wire) this.#wire.revision = revision
    const told = this.#wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' }).then(() => outcome)
    const heard = await Promise.race([told, after(upstreamLimits.openMs)])
    if (heard.kind === 'failed') throw new Error(heard.error.message)
    // A server that takes the request and says nothing is one without a stream.
    await Promise.race([this.#wire.openStream?.(), after(upstreamLimits.openMs)])
  }

  #receive(message: Message): void {
    if (isReply(message)) {
      if (message.id !== null) this.#waiting.get(message.id)?.(message)
    } else if (isRequest(message)) {
      if (message.method === 'ping') void this.#sendOrLose(resultReply(message.id, {}))
      else if (this.#live !== undefined) this.#live.onRequest(message)
      else this.#refuseStray(message)
    } else if (this.#live !== undefined && belongsToCalls(message.method)) this.#live.onNotification(message)
    else this.#onNotification(message)
  }

  /** A request of the server outside any call: there is no caller whose client could be asked. */
  #refuseStray(request: Request): void {
    const { id, method } = request
    if (readQuestion(request) === undefined) {
      void this.#sendOrLose(errorReply(id, errorCodes.methodNotFound, `This client does not know ${method}.`))
      return
    }
    this.#onStray()
    void this.#sendOrLose(errorReply(id, errorCodes.refused, 'No call is in progress, so no client can be asked.'))
  }

  #lose(reason: string): void {
    if (this.#closedBecause !== undefined) return
    this.#closedBecause = reason
    const outcome = errorReply(null, errorCodes.refused, `The server went away. ${reason}`)
    for (const resolve of [...this.#waiting.values()]) resolve(outcome)
  }

  #refusal(error: unknown): Outcome {
    if (!(error instanceof WireRefusal)) {
      return failed(errorCodes.refused, `The server cannot be used now. ${reasonOf(error)}`)
    }
    // After a restart a server does not know its old sessions, and says so with this status.
    if (error.status === 404) this.#closedBecause ??= 'The server has forgotten this session.'
    const reply = error.reply !== undefined && isReply(error.reply) ? error.reply : undefined
    const outcome = reply === undefined ? failed(errorCodes.refused, error.message) : outcomeOf(reply)
    return outcome.kind === 'failed' ? { ...outcome, status: error.status } : outcome
  }

  /** Whether it was sent. */
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

function belongsToCalls(method: string): boolean {
  return ['notifications/progress', 'notifications/message', 'notifications/cancelled'].includes(method)
}

async function after(ms: number): Promise<Outcome> {
  await new Promise((resolve) => setTimeout(resolve, ms).unref())
  return failed(errorCodes.refused, 'The server did not answer in time.')
}
