// One client's session in the sessionful revisions.
//
// Questions are pushed down the stream of the call they belong to, under random ids of ours; an answer is taken only
// from this session, once. The client sees its call go on where it stood.

import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@assent/core'
import { relayLimits } from '../../limits.ts'
import { canBeAsked } from '../../relay/capabilities.ts'
import { type Call, type ClientProfile, failed, type Given, type Outcome, type Wanted } from '../../relay/exchange.ts'
import { noAnswer } from '../../relay/judge-wanted.ts'
import { readResume } from '../../relay/relay.ts'
import {
  errorCodes,
  type Message,
  type Notification,
  objectAt,
  type Reply,
  type Request,
  type RequestId,
  resultReply,
  stringAt,
} from '../../wire/messages.ts'
import type { Serving } from '../context.ts'
import { described } from '../description.ts'
import { pushedQuestion } from './questions.ts'

export type Say = (message: Message) => void

const spoken = ['2025-06-18', '2025-11-25', '2025-03-26']

export class ClientSession {
  readonly id: string = randomUUID()
  readonly principal: string
  readonly #serving: Serving
  readonly #client: ClientProfile
  readonly #revision: string
  readonly #pushed = new Map<RequestId, (given: Given) => void>()
  readonly #calls = new Map<RequestId, AbortController>()
  readonly #ending = new AbortController()
  lastUsedMs: number = Date.now()

  constructor(serving: Serving, principal: string, params: JsonObject) {
    this.#serving = serving
    this.principal = principal
    this.#client = { info: objectAt(params, 'clientInfo') ?? {}, capabilities: objectAt(params, 'capabilities') ?? {} }
    const wanted = stringAt(params, 'protocolVersion') ?? ''
    this.#revision = spoken.includes(wanted) ? wanted : '2025-11-25'
  }

  async initialize(request: Request): Promise<Reply> {
    const call = this.#call('initialize', {}, () => undefined, this.#ending.signal)
    const { capabilities, info, instructions } = described(
      await this.#serving.relay.describe(call),
      this.#serving.relay.size,
    )
    return resultReply(request.id, {
      protocolVersion: this.#revision,
      capabilities,
      serverInfo: info,
      ...(instructions === undefined ? {} : { instructions }),
    })
  }

  /** Answers one request; what must be said before, questions too, goes to `say`. */
  async answer(request: Request, say: Say, signal: AbortSignal): Promise<Reply> {
    this.lastUsedMs = Date.now()
    if (request.method === 'ping') return resultReply(request.id, {})
    const cancelling = new AbortController()
    this.#calls.set(request.id, cancelling)
    const call = this.#call(
      request.method,
      request.params ?? {},
      say,
      AbortSignal.any([signal, cancelling.signal, this.#ending.signal]),
    )
    try {
      let outcome = await this.#serving.relay.start(call)
      for (let round = 0; outcome.kind === 'needs-people'; round++) {
        if (round === relayLimits.roundsPerCall) outcome = failed(errorCodes.refused, 'The server asked too often.')
        else outcome = await this.#askAndContinue(call, outcome, say)
      }
      if (outcome.kind === 'failed') return { jsonrpc: '2.0', id: request.id, error: outcome.error }
      return resultReply(request.id, withoutNewer(outcome.result))
    } finally {
      this.#calls.delete(request.id)
    }
  }

  /** An answer to a question of ours. Ids we did not give, or that were answered, mean nothing. */
  take(reply: Reply): void {
    this.lastUsedMs = Date.now()
    if (reply.id === null) return
    this.#pushed.get(reply.id)?.('error' in reply ? { error: reply.error } : { result: reply.result })
  }

  hear(notification: Notification): void {
    this.lastUsedMs = Date.now()
    if (notification.method !== 'notifications/cancelled') return
    const id = notification.params?.requestId
    if (typeof id === 'string' || typeof id === 'number') this.#calls.get(id)?.abort()
  }

  /** Passes on what changes behind the gateway, until the signal aborts. */
  async listen(say: Say, signal: AbortSignal): Promise<void> {
    const params = { notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true } }
    const call = this.#call('subscriptions/listen', params, say, AbortSignal.any([signal, this.#ending.signal]))
    await this.#serving.relay.listen({
      ...call,
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

  async #askAndContinue(call: Call, outcome: Outcome & { kind: 'needs-people' }, say: Say): Promise<Outcome> {
    const resume = readResume(outcome.resume)
    if (resume === undefined) throw new Error('The relay lost its place.')
    const over = outcome.over ?? new Promise<void>(() => undefined)
    const answers = Object.entries(outcome.wanted).map(
      async ([key, wanted]) => [key, await this.#ask(wanted, say, call.signal, over)] as const,
    )
    const given = (await Promise.all(answers)).flatMap(([key, answer]) => (answer === undefined ? [] : [[key, answer]]))
    return this.#serving.relay.continue(call, resume, Object.fromEntries(given))
  }

  /** Undefined when nobody waits for the answer any more. */
  async #ask(wanted: Wanted, say: Say, signal: AbortSignal, over: Promise<void>): Promise<Given | undefined> {
    const question = canBeAsked(this.#client.capabilities, wanted.kind)
      ? pushedQuestion(wanted, this.#revision)
      : undefined
    if (question === undefined) return noAnswer
    const id = randomUUID()
    const { promise, resolve } = Promise.withResolvers<Given>()
    this.#pushed.set(id, resolve)
    const timer = setTimeout(() => resolve(noAnswer), this.#serving.askWaitMs)
    const abort = () => resolve(noAnswer)
    signal.addEventListener('abort', abort, { once: true })
    say({ jsonrpc: '2.0', id, ...question })
    try {
      const answer = await Promise.race([promise, over])
      if (answer === undefined || answer === noAnswer) {
        say({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: id, reason: 'No answer is needed any more.' },
        })
      }
      return answer === undefined ? undefined : answer
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      this.#pushed.delete(id)
    }
  }

  #call(method: string, params: JsonObject, say: Say, signal: AbortSignal): Call {
    const { tenant } = this.#serving
    return {
      tenant,
      principal: this.principal,
      scope: this.id,
      method,
      params,
      client: this.#client,
      notify: say,
      signal,
    }
  }
}

/** What the newest revision adds to results is not known here. */
function withoutNewer({ resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...result }: JsonObject): JsonObject {
  return result
}

function withoutSubscription({ params, ...notification }: Notification): Notification {
  const { _meta, ...rest } = params ?? {}
  return Object.keys(rest).length === 0 ? notification : { ...notification, params: rest }
}
