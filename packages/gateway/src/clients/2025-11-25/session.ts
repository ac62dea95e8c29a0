// One client's session in the session-based revisions.
//
// Questions are sent on the stream of the call they belong to, under ids that the gateway generates. An answer is
// accepted only from this session, and only once. For the client the call simply continues.

import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@assent/core'
import type { CallState } from '../../call/call-state.ts'
import { unavailable } from '../../call/hold/store-unavailable.ts'
import type { CallerWait, CallLayer, TimedResponse } from '../../call/layers.ts'
import { agentOf, type CallerFacts } from '../../call/local-person.ts'
import { type Call, type ClientProfile, type Ended, failed, type NeedsInput, type Outcome } from '../../call/model.ts'
import { digestOfRequest } from '../../call/request-digest.ts'
import { awaitedAsk, withAwaitTool } from '../../call/route/await-answer.ts'
import { askedTooOften } from '../../call/route/following.ts'
import type { Lifeline } from '../../call/route/waiting-asks.ts'
import { noAnswer } from '../../call/screen/screen-questions.ts'
import { newNameAt } from '../../cluster/replica-names.ts'
import { relayLimits } from '../../limits.ts'
import {
  errorCodes,
  errorReply,
  type Notification,
  objectAt,
  type Reply,
  type Request,
  type RequestId,
  resultReply,
  stringAt,
} from '../../protocol/messages.ts'
import { own } from '../../protocol/own.ts'
import type { Serving } from '../context.ts'
import { described, onlyServerAway } from '../description.ts'
import { ClientQuestions, never, type Send } from './client-questions.ts'
import { pageDone } from './questions.ts'
import { canBeKept, type KeptCall, type KeptRound } from './resume/kept-calls.ts'

type RequestHeaders = NonNullable<Call['requestHeaders']>

/** What is known about the sender of one request of the session. */
export interface RequestSender {
  readonly headers?: RequestHeaders
  /** Without them, the sender is in no group. */
  readonly facts?: CallerFacts
}

interface Answering extends RequestSender {
  /** Stores the call while its client is asked. */
  readonly kept?: KeptCall | undefined
  /** The round to continue from, for a call taken over from another process. */
  readonly from?: KeptRound
}

/** How a call is stored while its client is asked. */
interface Keeping {
  readonly request: Request
  readonly kept: KeptCall | undefined
  readonly from: KeptRound | undefined
}

/** The constant properties of a session. With them, another replica can take it over. */
export interface SessionIdentity {
  readonly id: string
  readonly principal: string
  readonly revision: string
  readonly info: JsonObject
  readonly declared: JsonObject
}

/** The identity of a new session of this person, from the params of `initialize`. */
export function beginIdentity(principal: string, params: JsonObject): SessionIdentity {
  const wanted = stringAt(params, 'protocolVersion') ?? ''
  return {
    id: randomUUID(),
    principal,
    revision: supportedRevisions.includes(wanted) ? wanted : '2025-11-25',
    info: objectAt(params, 'clientInfo') ?? {},
    declared: objectAt(params, 'capabilities') ?? {},
  }
}

const supportedRevisions = ['2025-06-18', '2025-11-25', '2025-03-26']

export class ClientSession {
  readonly id: string
  readonly principal: string
  readonly #serving: Serving
  readonly #transport: 'http' | 'stdio'
  readonly #client: ClientProfile
  readonly revision: string
  readonly #questions: ClientQuestions
  readonly #calls = new Map<RequestId, AbortController>()
  readonly #ending = new AbortController()
  /** From the monotonic clock. */
  lastUsedMs: number = performance.now()

  constructor(serving: Serving, identity: SessionIdentity, transport: 'http' | 'stdio') {
    this.#serving = serving
    this.#transport = transport
    this.id = identity.id
    this.principal = identity.principal
    this.#client = serving.routing.profile(identity.info, identity.declared)
    this.revision = identity.revision
    this.#questions = new ClientQuestions(serving, this.#client, identity.revision)
  }

  /** Returns an error when the only server is unavailable. */
  async initialize(request: Request, headers: RequestHeaders = {}): Promise<Reply> {
    const call = this.#call('initialize', {}, () => undefined, this.#ending.signal, { headers })
    const all = await this.#serving.relay.describe(call)
    const away = onlyServerAway(all, this.#serving.relay.size)
    if (away !== undefined) return errorReply(request.id, errorCodes.refused, away)
    const { capabilities, info, instructions, meta } = described(all, this.#serving.relay.size)
    return resultReply(request.id, {
      protocolVersion: this.revision,
      capabilities,
      serverInfo: info,
      ...(instructions === undefined ? {} : { instructions }),
      ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
    })
  }

  /** Returns the reply to one request. Questions and notifications that precede it are passed to `send`. */
  async answer(
    request: Request,
    send: Send,
    signal: AbortSignal,
    { headers = {}, facts, kept, from }: Answering = {},
  ): Promise<Reply> {
    this.lastUsedMs = performance.now()
    if (request.method === 'ping') return resultReply(request.id, {})
    const cancelling = new AbortController()
    this.#calls.set(request.id, cancelling)
    // Not with AbortSignal.any, which costs several times as much.
    const abort = () => cancelling.abort()
    const ends = [signal, this.#ending.signal]
    for (const end of ends) end.addEventListener('abort', abort)
    if (ends.some(({ aborted }) => aborted)) abort()
    const waiting = this.#serving.waiting.of(this.#serving.tenant, this.#lifeline)
    const by = facts === undefined ? { headers, waiting } : { headers, facts, waiting }
    const call = this.#call(request.method, request.params ?? {}, send, cancelling.signal, by)
    try {
      const outcome = this.#serving.shutdown.reported(
        await this.#run(call, send, { request, kept, from }).catch(unavailable),
        call,
      )
      if (outcome.kind === 'failed') return { jsonrpc: '2.0', id: request.id, error: outcome.error }
      return resultReply(request.id, withoutNewer(outcome.result))
    } finally {
      waiting.end()
      for (const end of ends) end.removeEventListener('abort', abort)
      // A client may use one id for two calls: keep the entry if it belongs to the other call, so that it can be
      // cancelled.
      if (this.#calls.get(request.id) === cancelling) this.#calls.delete(request.id)
    }
  }

  /** An answer to a question that this process sent. Ids that are unknown or already answered are ignored. */
  take(reply: Reply): void {
    this.lastUsedMs = performance.now()
    this.#questions.take(reply)
  }

  /** Stores an answer to a question of another process for a while, in case its call continues here. */
  takeEarly(reply: Reply): void {
    this.#questions.takeEarly(reply)
  }

  /** Whether a question with this id is open in this process. */
  waitsFor(id: RequestId | null): boolean {
    return this.#questions.waitsFor(id)
  }

  /** Aborts when the session has ended here. */
  get ended(): AbortSignal {
    return this.#ending.signal
  }

  /** Whether a call of this session runs here. */
  get isBusy(): boolean {
    return this.#calls.size > 0
  }

  /** Cancels a call that runs here. False when there is no call with this id. */
  cancel(id: RequestId): boolean {
    this.lastUsedMs = performance.now()
    const call = this.#calls.get(id)
    call?.abort()
    return call !== undefined
  }

  /** Forwards a notification of the client to the servers, if it is meant for them. */
  async receive(notification: Notification, headers: RequestHeaders = {}): Promise<void> {
    this.lastUsedMs = performance.now()
    if (!concernsServers(notification)) return
    const call = this.#call(notification.method, {}, () => undefined, this.#ending.signal, { headers })
    await this.#serving.relay.notify(call, notification)
  }

  /** Forwards change notifications of the servers, until the signal aborts. */
  async listen(send: Send, signal: AbortSignal, headers: RequestHeaders = {}): Promise<void> {
    const params = { notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true } }
    const ends = AbortSignal.any([signal, this.#ending.signal])
    const call = this.#call('subscriptions/listen', params, send, ends, { headers })
    const until = { over: never(), elsewhere: never() }
    await this.#serving.relay.listen({
      ...call,
      ask: async (wanted) => {
        const asked = { id: newNameAt(this.#serving.replica), earlierId: undefined, elapsedMs: 0 }
        const answer = await this.#questions.ask(wanted, send, call.signal, until, asked)
        return answer === undefined || answer === 'elsewhere' ? noAnswer : answer.given
      },
      notify: (notification) => {
        if (notification.method !== 'notifications/subscriptions/acknowledged') send(withoutSubscription(notification))
      },
    })
  }

  async end(): Promise<void> {
    this.#ending.abort()
    this.#questions.end()
    await this.#serving.relay.leave(this.#call('', {}, () => undefined, new AbortController().signal))
  }

  /** Runs a call until it ends, or until its caller's wait time is used up. */
  async #run(asked: Call, send: Send, keeping: Keeping): Promise<Ended> {
    const { routing, deferredCalls, heldCalls } = this.#serving
    const wait = routing.patienceOf(asked, this.#transport)
    // A call without a digest cannot be stored, so its caller cannot fetch the outcome later.
    const leavesAfterMs = () => (digestOfRequest(asked) === undefined ? wait().forMs : undefined)
    const call = { ...asked, leavesAfterMs }
    const awaited = routing.hasInbox ? awaitedAsk(call) : undefined
    const below = heldCalls.inPlace(call)
    try {
      const { from } = keeping
      if (from !== undefined) {
        const outcome = { kind: 'input-required', wanted: from.wanted, state: from.state } as const
        return await this.#carry(call, below, outcome, send, wait, keeping)
      }
      const begun =
        awaited === undefined
          ? await routing.through(below, wait()).start(call)
          : await deferredCalls.fetch(call, awaited, wait())
      return await this.#carry(call, below, begun, send, wait, keeping)
    } catch (error) {
      below.abandon(error)
      throw error
    } finally {
      // Not awaited: it must not delay the reply.
      below.end()
    }
  }

  async #carry(
    call: Call,
    below: CallLayer,
    first: Outcome<CallState>,
    send: Send,
    wait: () => CallerWait,
    keeping: Keeping,
  ): Promise<Ended> {
    const { routing } = this.#serving
    let outcome = first
    for (let round = 0; outcome.kind === 'input-required'; round++) {
      if (round === relayLimits.roundsPerCall) outcome = askedTooOften
      else if (Object.keys(outcome.wanted).length === 0) outcome = await this.#defer(call, below, outcome, wait)
      else {
        const from = round === 0 ? keeping.from : undefined
        const asked = outcome
        // After an error, or when another process continues the call, the timers of its questions may still run.
        outcome = await this.#askAndContinue(call, below, asked, send, wait, { ...keeping, from }).finally(() =>
          routing.stopFallback(asked),
        )
      }
    }
    return routing.hasInbox ? withAwaitTool(call, outcome) : outcome
  }

  /** The caller's wait time is used up, or this process shuts down, while the ask is still open in the inbox. */
  async #defer(
    call: Call,
    below: CallLayer,
    outcome: NeedsInput<CallState>,
    wait: () => CallerWait,
  ): Promise<Outcome<CallState>> {
    const { deferredCalls, routing } = this.#serving
    const digest = digestOfRequest(call)
    const { forMs, canRetry } = wait()
    if (forMs > 0) {
      const pending = digest === undefined ? undefined : await deferredCalls.keep(call, outcome, digest)
      // A call that cannot continue in another process waits here for the remaining time.
      return pending ?? routing.through(below, { forMs, canRetry }).continue(call, outcome.state, {})
    }
    if (digest !== undefined) return deferredCalls.defer(call, outcome, digest)
    // Its question expires with the caller's wait time. The store decides whether an answer was given in time.
    const untilExpired = { forMs: Number.POSITIVE_INFINITY, canRetry: false }
    return routing.through(below, untilExpired).continue(call, outcome.state, {})
  }

  async #askAndContinue(
    call: Call,
    below: CallLayer,
    outcome: NeedsInput<CallState>,
    send: Send,
    wait: () => CallerWait,
    { request, kept, from }: Keeping,
  ): Promise<Outcome<CallState>> {
    const { routing, replica, store } = this.#serving
    // The id names this replica, so that another one that receives the answer forwards it here.
    const ids = Object.fromEntries(Object.keys(outcome.wanted).map((key) => [key, newNameAt(replica)]))
    const askedAtMs = from?.askedAtMs ?? store.nowMs()
    const keeps = kept !== undefined && canBeKept(outcome) ? kept : undefined
    keeps?.asked({ request, wanted: outcome.wanted, state: outcome.state, ids, askedAtMs })
    const { over = never() } = outcome
    const answers = Object.entries(outcome.wanted).map(async ([key, wanted]): Promise<[string, TimedResponse][]> => {
      const settled = new AbortController()
      const elsewhere = routing.elsewhere(call, outcome, key, wait().forMs, settled.signal)
      const earlierId = from === undefined ? undefined : own(from.ids, key)
      const asked = { id: ids[key] ?? '', earlierId, elapsedMs: store.nowMs() - askedAtMs }
      const came = await this.#questions
        .askUntilValid(call, wanted, send, { over, elsewhere }, asked)
        .finally(() => settled.abort())
      if (came !== undefined) return [[key, came]]
      await routing.stopped(call, outcome.state, key)
      return []
    })
    const came = Object.fromEntries((await Promise.all(answers)).flat())
    // Once another process has continued the call, this process must send nothing for it.
    if (keeps !== undefined && !(await keeps.mayContinue())) return continuedElsewhere
    const next = await routing.through(below, wait()).continue(call, outcome.state, came)
    // While only the inbox is still asked, the page is still open.
    const isWaiting = next.kind === 'input-required' && Object.keys(next.wanted).length === 0
    const opened = isWaiting ? [] : Object.entries(outcome.wanted).filter(([key]) => isAccepted(came[key]))
    for (const [, wanted] of opened) for (const done of pageDone(wanted, this.revision)) send(done)
    return next
  }

  /** How long a handle is valid: as long as the session, which over stdio is the process. */
  get #lifeline(): Lifeline {
    return this.#transport === 'stdio' ? { kind: 'process' } : { kind: 'session', id: this.id }
  }

  #call(
    method: string,
    params: JsonObject,
    send: Send,
    signal: AbortSignal,
    { headers = {}, facts = { groups: [] }, waiting }: RequestSender & Pick<Call, 'waiting'> = {},
  ): Call {
    const { client, ...sender } = facts
    let progressed = 0
    return {
      tenant: this.#serving.tenant,
      principal: this.principal,
      ...sender,
      scope: this.id,
      agent: agentOf(client, this.#client.info),
      method,
      params,
      client: this.#client,
      notify: (notification) => {
        const progress = notification.method === 'notifications/progress' ? notification.params?.progress : undefined
        if (typeof progress === 'number') progressed = progress
        send(notification)
      },
      progressed: () => progressed,
      signal,
      requestHeaders: headers,
      ...(waiting === undefined ? {} : { waiting }),
    }
  }
}

const continuedElsewhere = failed(errorCodes.refused, 'Another gateway process has continued this call.')

function isAccepted(came: TimedResponse | undefined): boolean {
  const given = came?.given
  return given !== undefined && 'result' in given && given.result.action === 'accept'
}

/** Session-based servers get a notification when the client's roots change; others request roots when needed. */
function concernsServers({ method }: Notification): boolean {
  return method === 'notifications/roots/list_changed'
}

/** The call that a notification cancels. */
export function cancelledBy({ method, params }: Notification): RequestId | undefined {
  const id = method === 'notifications/cancelled' ? params?.requestId : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** Removes the members that only the newest revision has. */
function withoutNewer({ resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...result }: JsonObject): JsonObject {
  return result
}

function withoutSubscription({ params, ...notification }: Notification): Notification {
  const { _meta, ...rest } = params ?? {}
  return Object.keys(rest).length === 0 ? notification : { ...notification, params: rest }
}
