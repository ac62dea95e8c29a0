// One client's session in the sessionful revisions.
//
// Questions are pushed down the stream of the call they belong to, under random ids of ours; an answer is taken only
// from this session, once. The client sees its call go on where it stood.

import { randomUUID } from 'node:crypto'
import { type JsonObject, understandsAskMeta } from '@assent/core'
import { downstreamLimits, relayLimits } from '../../limits.ts'
import { canBeAsked, forClient } from '../../relay/capabilities.ts'
import {
  type Call,
  type ClientProfile,
  failed,
  type Given,
  type Outcome,
  type Shared,
  type Wanted,
} from '../../relay/exchange.ts'
import { expired, noAnswer } from '../../relay/judge-wanted.ts'
import { digestOfRequest } from '../../relay/request-digest.ts'
import { toldAsAway } from '../../relay/store-away.ts'
import { shownWaitMs } from '../../surfaces/ask-deadline.ts'
import { awaitedAsk, withAwaitTool } from '../../surfaces/await-answer.ts'
import { readPlace } from '../../surfaces/place.ts'
import { askedTooOften, type Below, type Came, type Hold } from '../../surfaces/routing.ts'
import type { Lifeline } from '../../surfaces/waiting-asks.ts'
import {
  errorCodes,
  errorReply,
  type Message,
  type Notification,
  objectAt,
  type Reply,
  type Request,
  type RequestId,
  resultReply,
  stringAt,
} from '../../wire/messages.ts'
import { withReason } from '../ask-again.ts'
import type { Serving } from '../context.ts'
import { described, onlyServerAway } from '../description.ts'
import { canBeKept, type KeptCall, type KeptRound } from './kept-calls.ts'
import { pageDone, pushedQuestion } from './questions.ts'

export type Say = (message: Message) => void
type RequestHeaders = NonNullable<Call['requestHeaders']>

interface Answering {
  readonly headers?: RequestHeaders
  /** Keeps the call while its client is asked. */
  readonly kept?: KeptCall | undefined
  /** Where the call goes on that another process had. */
  readonly from?: KeptRound
}

/** How a call is kept while its client is asked. */
interface Keeping {
  readonly request: Request
  readonly kept: KeptCall | undefined
  readonly from: KeptRound | undefined
}

/** One question that goes to the client. */
interface Asked {
  readonly id: string
  /** The id under which another process asked the same. */
  readonly earlierId: string | undefined
  readonly elapsedMs: number
}

/** What a session is. It does not change while it lasts, and any process can serve it. */
export interface SessionIdentity {
  readonly id: string
  readonly principal: string
  readonly revision: string
  readonly info: JsonObject
  readonly declared: JsonObject
}

/** What a client said when it began, as a session of this person. */
export function beginIdentity(principal: string, params: JsonObject): SessionIdentity {
  const wanted = stringAt(params, 'protocolVersion') ?? ''
  return {
    id: randomUUID(),
    principal,
    revision: spoken.includes(wanted) ? wanted : '2025-11-25',
    info: objectAt(params, 'clientInfo') ?? {},
    declared: objectAt(params, 'capabilities') ?? {},
  }
}

type Unfinished = Outcome & { kind: 'needs-people' }
type Ended = Exclude<Outcome, Unfinished>

const spoken = ['2025-06-18', '2025-11-25', '2025-03-26']

/** A question on display at the client. */
interface Pushed {
  readonly id: RequestId
  readonly promise: Promise<Answer>
  readonly resolve: (given: Given) => void
  readonly askedAt: number
  /** False when it was answered before it was shown. */
  readonly isShown: boolean
  readonly timer?: NodeJS.Timeout
}

interface Answer {
  readonly given: Given
  /** To the question as another process had put it. */
  readonly isEarlier?: boolean
  /** When it arrived, if not now. */
  readonly at?: number
}

/** What ends a question before its answer. */
interface Until {
  readonly over: Promise<void>
  /** With words for the client. */
  readonly elsewhere: Promise<string>
}

export class ClientSession {
  readonly id: string
  readonly principal: string
  readonly #serving: Serving
  readonly #transport: 'http' | 'stdio'
  readonly #client: ClientProfile
  readonly revision: string
  readonly #pushed = new Map<RequestId, (given: Given) => void>()
  /** Questions on display whose call has ended and that another call of this session carries on. */
  readonly #passed = new Map<Shared, Pushed>()
  /** Answers to questions of other processes. */
  readonly #early = new Map<RequestId, Answer>()
  readonly #calls = new Map<RequestId, AbortController>()
  readonly #ending = new AbortController()
  /** By a clock that runs forward only, like everything that is measured and not agreed on. */
  lastUsedMs: number = performance.now()

  constructor(serving: Serving, identity: SessionIdentity, transport: 'http' | 'stdio') {
    this.#serving = serving
    this.#transport = transport
    this.id = identity.id
    this.principal = identity.principal
    this.#client = serving.routing.profile(identity.info, identity.declared)
    this.revision = identity.revision
  }

  /** An error when there is nothing to begin a session with. */
  async initialize(request: Request, headers: RequestHeaders = {}): Promise<Reply> {
    const call = this.#call('initialize', {}, () => undefined, this.#ending.signal, headers)
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

  /** Answers one request; what must be said before, questions too, goes to `say`. */
  async answer(
    request: Request,
    say: Say,
    signal: AbortSignal,
    { headers = {}, kept, from }: Answering = {},
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
    const call = { ...this.#call(request.method, request.params ?? {}, say, cancelling.signal, headers), waiting }
    try {
      const outcome = this.#serving.leaving.told(
        await this.#run(call, say, { request, kept, from }).catch(toldAsAway),
        call,
      ) as Ended
      if (outcome.kind === 'failed') return { jsonrpc: '2.0', id: request.id, error: outcome.error }
      return resultReply(request.id, withoutNewer(outcome.result))
    } finally {
      waiting.end()
      for (const end of ends) end.removeEventListener('abort', abort)
      // A client may give two calls one id; the other one can still be cancelled.
      if (this.#calls.get(request.id) === cancelling) this.#calls.delete(request.id)
    }
  }

  /** An answer to a question that was put here. Ids we did not give, or that were answered, mean nothing. */
  take(reply: Reply): void {
    this.lastUsedMs = performance.now()
    if (reply.id === null) return
    this.#pushed.get(reply.id)?.('error' in reply ? { error: reply.error } : { result: reply.result })
  }

  /** Remembers for a while an answer to a question of another process, should its call go on here. */
  takeEarly(reply: Reply): void {
    if (reply.id === null || 'error' in reply || this.#early.size >= downstreamLimits.earlyAnswers) return
    if (JSON.stringify(reply.result).length > downstreamLimits.earlyAnswerChars) return
    const { id, result } = reply
    this.#early.set(id, { given: { result }, isEarlier: true, at: performance.now() })
    setTimeout(() => this.#early.delete(id), downstreamLimits.comesBackWithinMs).unref()
  }

  /** Whether a question by this id waits here for its answer. */
  waitsFor(id: RequestId | null): boolean {
    return id !== null && this.#pushed.has(id)
  }

  /** Ends a call that runs here. False when none does by this id. */
  cancel(id: RequestId): boolean {
    this.lastUsedMs = performance.now()
    const call = this.#calls.get(id)
    call?.abort()
    return call !== undefined
  }

  /** Passes on to the servers what the client says outside any request, as far as it concerns them. */
  async hear(notification: Notification, headers: RequestHeaders = {}): Promise<void> {
    this.lastUsedMs = performance.now()
    if (!isForServers(notification)) return
    const call = this.#call(notification.method, {}, () => undefined, this.#ending.signal, headers)
    await this.#serving.relay.notify(call, notification)
  }

  /** Passes on what changes behind the gateway, until the signal aborts. */
  async listen(say: Say, signal: AbortSignal, headers: RequestHeaders = {}): Promise<void> {
    const params = { notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true } }
    const ends = AbortSignal.any([signal, this.#ending.signal])
    const call = this.#call('subscriptions/listen', params, say, ends, headers)
    const until = { over: never(), elsewhere: never() }
    await this.#serving.relay.listen({
      ...call,
      ask: async (wanted) => {
        const asked = { id: this.#serving.mailbox.newName(), earlierId: undefined, elapsedMs: 0 }
        const answer = await this.#ask(wanted, say, call.signal, until, asked)
        return answer === undefined || answer === 'elsewhere' ? noAnswer : answer.given
      },
      notify: (notification) => {
        if (notification.method !== 'notifications/subscriptions/acknowledged') say(withoutSubscription(notification))
      },
    })
  }

  async end(): Promise<void> {
    this.#ending.abort()
    for (const resolve of [...this.#pushed.values()]) resolve(noAnswer)
    await this.#serving.relay.leave(this.#call('', {}, () => undefined, new AbortController().signal))
  }

  /** Carries a call to its end, or to the end of what its caller can wait. */
  async #run(asked: Call, say: Say, keeping: Keeping): Promise<Ended> {
    const { routing, deferral, parking } = this.#serving
    const hold = routing.patienceOf(asked, this.#transport)
    // What has no digest cannot be kept, so its caller cannot come back for it.
    const leavesAfterMs = () => (digestOfRequest(asked) === undefined ? hold().forMs : undefined)
    const call = { ...asked, leavesAfterMs }
    const awaited = routing.hasInbox ? awaitedAsk(call) : undefined
    const below = parking.inPlace(call)
    try {
      const { from } = keeping
      if (from !== undefined) {
        const outcome: Unfinished = { kind: 'needs-people', wanted: from.wanted, resume: from.resume }
        return await this.#carry(call, below, outcome, say, hold, keeping)
      }
      const begun =
        awaited === undefined ? await routing.start(call, below, hold()) : await deferral.fetch(call, awaited, hold())
      return await this.#carry(call, below, begun, say, hold, keeping)
    } catch (error) {
      below.giveUp()
      throw error
    } finally {
      // The reply does not wait for it.
      below.end()
    }
  }

  async #carry(call: Call, below: Below, first: Outcome, say: Say, hold: () => Hold, keeping: Keeping): Promise<Ended> {
    const { routing } = this.#serving
    let outcome = first
    for (let round = 0; outcome.kind === 'needs-people'; round++) {
      if (round === relayLimits.roundsPerCall) outcome = askedTooOften
      else if (Object.keys(outcome.wanted).length === 0) outcome = await this.#putOff(call, below, outcome, hold)
      else {
        const from = round === 0 ? keeping.from : undefined
        outcome = await this.#askAndContinue(call, below, outcome, say, hold, { ...keeping, from })
      }
    }
    return routing.hasInbox ? (withAwaitTool(call, outcome) as Ended) : outcome
  }

  /** The caller's patience is at its end, or this process leaves, while the inbox still waits for the person. */
  async #putOff(call: Call, below: Below, outcome: Unfinished, hold: () => Hold): Promise<Outcome> {
    const { deferral, routing } = this.#serving
    const digest = digestOfRequest(call)
    const { forMs, comesBack } = hold()
    if (forMs > 0) {
      const pending = digest === undefined ? undefined : await deferral.keep(call, outcome, digest)
      // What cannot go on elsewhere is waited for here after all, as long as there is.
      return pending ?? routing.continue(call, below, outcome.resume, {}, { forMs, comesBack })
    }
    if (digest !== undefined) return deferral.putOff(call, outcome, digest)
    // Its question ends with the caller's patience. An answer of the last moment counts, so the store has the last word.
    return routing.continue(call, below, outcome.resume, {}, { forMs: Number.POSITIVE_INFINITY, comesBack: false })
  }

  async #askAndContinue(
    call: Call,
    below: Below,
    outcome: Unfinished,
    say: Say,
    hold: () => Hold,
    { request, kept, from }: Keeping,
  ): Promise<Outcome> {
    const { routing, mailbox, store } = this.#serving
    // Whichever process gets the answer knows by the id where it belongs.
    const ids = Object.fromEntries(Object.keys(outcome.wanted).map((key) => [key, mailbox.newName()]))
    const askedAtMs = from?.askedAtMs ?? store.nowMs()
    const keeps = kept !== undefined && canBeKept(outcome) ? kept : undefined
    keeps?.asked({ request, wanted: outcome.wanted, resume: outcome.resume, ids, askedAtMs })
    const { over = never() } = outcome
    const copies = readPlace(outcome.resume)?.copies ?? {}
    const answers = Object.entries(outcome.wanted).map(async ([key, wanted]): Promise<[string, Came][]> => {
      const copy = Object.hasOwn(copies, key) ? copies[key] : undefined
      const told = new AbortController()
      const inInbox = copy === undefined ? never() : routing.silence.elsewhere(call, copy, hold().forMs, told.signal)
      const elsewhere = Promise.race([inInbox, this.#lastCall(outcome, wanted, told.signal)])
      const earlierId = from !== undefined && Object.hasOwn(from.ids, key) ? from.ids[key] : undefined
      const asked = { id: ids[key] ?? '', earlierId, elapsedMs: store.nowMs() - askedAtMs }
      const came = await this.#askUntilItFits(call, wanted, say, { over, elsewhere }, asked).finally(() => told.abort())
      if (came !== undefined) return [[key, came]]
      if (copy !== undefined) await routing.silence.withdraw(call, copy, 'asker-stopped')
      return []
    })
    const came = Object.fromEntries((await Promise.all(answers)).flat())
    // Once another process has gone on with the call, nothing of it is sent from here.
    if (keeps !== undefined && !(await keeps.mayGoOn())) return goesOnElsewhere
    const next = await routing.continue(call, below, outcome.resume, came, hold())
    // While only the inbox is waited for, the page is still open.
    const isWaiting = next.kind === 'needs-people' && Object.keys(next.wanted).length === 0
    const opened = isWaiting ? [] : Object.entries(outcome.wanted).filter(([key]) => isYes(came[key]))
    for (const [, wanted] of opened) for (const done of pageDone(wanted, this.revision)) say(done)
    return next
  }

  /**
   * Resolves, with words for the client, when this process can wait no longer and the inbox goes on asking. Not for a server
   * that waits in this process: it would hear nothing from there.
   */
  #lastCall({ over, resume }: Unfinished, { kind }: Wanted, signal: AbortSignal): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>()
    if (over !== undefined || readPlace(resume) === undefined || (kind !== 'form' && kind !== 'url')) return promise
    const forget = this.#serving.leaving.at('last-call', () => resolve('It is asked in the inbox now.'))
    signal.addEventListener('abort', forget, { once: true })
    return promise
  }

  /** A person whose answer does not fit is asked again, with the reason and within the same time. */
  async #askUntilItFits(call: Call, wanted: Wanted, say: Say, until: Until, first: Asked): Promise<Came | undefined> {
    const began = performance.now() - first.elapsedMs
    let reason: string | undefined
    for (let again = 0; ; again++) {
      const passed = this.#passed.get(sharedOf(wanted) as Shared)
      const askedAt = passed?.askedAt ?? performance.now()
      const elapsedMs = Math.max(0, askedAt - began)
      const isFirst = again === 0 && passed === undefined
      const asked = isFirst ? first : { id: this.#serving.mailbox.newName(), earlierId: undefined, elapsedMs }
      const answer = await this.#ask(withReason(wanted, reason), say, call.signal, until, asked)
      if (answer === 'elsewhere') return {}
      if (answer === undefined) return undefined
      const { given, isEarlier, at = performance.now() } = answer
      const came = { given, afterMs: at - (isEarlier ? began : askedAt) }
      reason = again < relayLimits.asksAgain ? this.#serving.routing.problemWith(call, wanted, came) : undefined
      if (reason === undefined) return came
    }
  }

  /** Undefined when nobody waits for the answer any more. */
  async #ask(
    wanted: Wanted,
    say: Say,
    signal: AbortSignal,
    { over, elsewhere }: Until,
    asked: Asked,
  ): Promise<Answer | 'elsewhere' | undefined> {
    const { declared } = this.#client
    const waitMs = shownWaitMs(this.#serving, wanted, asked.elapsedMs)
    const shown = { ...wanted, params: forClient(wanted.params, declared, waitMs) }
    const question = canBeAsked(declared, wanted.kind) ? pushedQuestion(shown, this.revision) : undefined
    if (question === undefined) return { given: noAnswer }
    const shared = sharedOf(wanted)
    const pushed = this.#takePassed(shared) ?? this.#push(say, question, asked)
    const { id, promise, resolve, isShown } = pushed
    // A gateway ends the question by the timeout it was sent, and always replies.
    const graceMs = understandsAskMeta(declared) ? relayLimits.chainGraceMs : 0
    const timer = setTimeout(() => resolve(expired), waitMs + graceMs)
    const abort = () => resolve(noAnswer)
    signal.addEventListener('abort', abort, { once: true })
    let isPassedOn = false
    try {
      const answer = await Promise.race([promise, over, elsewhere])
      // Another call of this session carries it on; the person need not be asked again.
      isPassedOn = answer === undefined && shared?.isOpen === true
      if (isPassedOn && shared !== undefined) this.#passOn(shared, pushed, say)
      if (isPassedOn) return undefined
      const given = typeof answer === 'object' ? answer.given : answer
      // The words of whoever was faster: a client that shows them tells its person who, how and when.
      const reason = typeof answer === 'string' ? answer : 'No answer is needed any more.'
      const isWithoutAnswer =
        given === undefined || given === noAnswer || given === expired || typeof given === 'string'
      if (isShown && (isWithoutAnswer || (typeof answer === 'object' && answer.isEarlier === true))) {
        say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } })
      }
      return typeof answer === 'string' ? 'elsewhere' : (answer ?? undefined)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      if (!isPassedOn) this.#pushed.delete(id)
      if (asked.earlierId !== undefined) this.#pushed.delete(asked.earlierId)
    }
  }

  #push(say: Say, question: object, { id, earlierId }: Asked): Pushed {
    const { promise, resolve: settle } = Promise.withResolvers<Answer>()
    const resolve = (given: Given) => settle({ given })
    this.#pushed.set(id, resolve)
    const isShown = earlierId === undefined || !this.#askedEarlier(earlierId, say, settle)
    if (isShown) say({ jsonrpc: '2.0', id, ...question } as Request)
    return { id, promise, resolve, askedAt: performance.now(), isShown }
  }

  /** Keeps a question on display for the call that carries it on, and takes it back if none does. */
  #passOn(shared: Shared, pushed: Pushed, say: Say): void {
    const timer = setTimeout(() => {
      this.#passed.delete(shared)
      this.#pushed.delete(pushed.id)
      const params = { requestId: pushed.id, reason: 'No answer is needed any more.' }
      say({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    }, downstreamLimits.passedWithinMs)
    this.#passed.set(shared, { ...pushed, timer })
  }

  #takePassed(shared: Shared | undefined): Pushed | undefined {
    const passed = shared === undefined ? undefined : this.#passed.get(shared)
    if (shared === undefined || passed === undefined) return undefined
    clearTimeout(passed.timer)
    this.#passed.delete(shared)
    return passed
  }

  /**
   * The client was asked the same by a process that is gone. An answer to that counts, whether it came already or is still on its
   * way; a client that has not answered drops the earlier question and is asked anew. True when it has answered.
   */
  #askedEarlier(id: string, say: Say, settle: (answer: Answer) => void): boolean {
    const early = this.#early.get(id)
    this.#early.delete(id)
    if (early !== undefined) {
      settle(early)
      return true
    }
    this.#pushed.set(id, (given) => settle({ given, isEarlier: true }))
    const params = { requestId: id, reason: 'The same is asked again.' }
    say({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    return false
  }

  /** A handle ends with the session, which on standard input and output is the process. */
  get #lifeline(): Lifeline {
    return this.#transport === 'stdio' ? { kind: 'process' } : { kind: 'session', id: this.id }
  }

  #call(method: string, params: JsonObject, say: Say, signal: AbortSignal, headers: RequestHeaders = {}): Call {
    let progressed = 0
    return {
      tenant: this.#serving.tenant,
      principal: this.principal,
      scope: this.id,
      method,
      params,
      client: this.#client,
      notify: (notification) => {
        const progress = notification.method === 'notifications/progress' ? notification.params?.progress : undefined
        if (typeof progress === 'number') progressed = progress
        say(notification)
      },
      progressed: () => progressed,
      signal,
      requestHeaders: headers,
    }
  }
}

function sharedOf(wanted: Wanted): Shared | undefined {
  return 'shared' in wanted ? wanted.shared : undefined
}

const goesOnElsewhere = failed(errorCodes.refused, 'Another gateway process has gone on with this call.')

function isYes(came: Came | undefined): boolean {
  const given = came?.given
  return given !== undefined && 'result' in given && given.result.action === 'accept'
}

/** A new one each time: what waits for a promise is kept as long as the promise. */
function never(): Promise<never> {
  return new Promise(() => undefined)
}

/** Servers with sessions get a notification that the client's roots changed; others ask for them when they need them. */
export function isForServers({ method }: Notification): boolean {
  return method === 'notifications/roots/list_changed'
}

/** The call that a notification cancels. */
export function cancelledBy({ method, params }: Notification): RequestId | undefined {
  const id = method === 'notifications/cancelled' ? params?.requestId : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** What the newest revision adds to results is not known here. */
function withoutNewer({ resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...result }: JsonObject): JsonObject {
  return result
}

function withoutSubscription({ params, ...notification }: Notification): Notification {
  const { _meta, ...rest } = params ?? {}
  return Object.keys(rest).length === 0 ? notification : { ...notification, params: rest }
}
