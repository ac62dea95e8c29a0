// Decides on which surface each question is asked, and follows a call until it ends, or until its client has to answer or
// retry.
//
// A question goes to the client or to the inbox (surfaces.ts). An answer from the client that is faster than a person
// can read moves the question to the inbox. When the first surface does not answer for too long, both ask, and the
// first answer counts. Without an inbox this layer changes nothing. It is independent of the protocol revision:
// questions for the client are returned as `input-required`, with an empty list while only the inbox asks.
//
// Owns: the routing state of a call, from the first question to the outcome.
// Does not own: raising asks (round-asks.ts), waiting (answer-wait.ts), sending answers (send-answers.ts).
// I1  The client is asked every question that is neither in the inbox nor answered.
// I2  With an inbox, a client's answer to a question for a person counts only if it can come from one; otherwise the
//     inbox asks (person-answers.ts).

import { compact, isTooManyOpen, type JsonObject, type Surface } from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'
import { errorCodes, objectAt } from '../../protocol/messages.ts'
import { own } from '../../protocol/own.ts'
import { type CallState, isRouted, questionIn, type RelayState, type RoutingState, relayPart } from '../call-state.ts'
import { withAskMeta } from '../capabilities.ts'
import { holdableMs } from '../clients/request-timeouts.ts'
import { traitsOf } from '../clients/traits-of.ts'
import type { CallerWait, CallLayer, TimedResponse, TimedResponses } from '../layers.ts'
import {
  type Answers,
  type Call,
  type ClientProfile,
  type Exchange,
  failed,
  type InputRequest,
  type InputResponse,
  type NeedsInput,
  type Outcome,
} from '../model.ts'
import { needsPasskey } from '../presence.ts'
import type { OpenAskLimits } from '../screen/open-limits.ts'
import type { Shutdown } from '../shutdown.ts'
import { AnswerWait, type AnswerWaitSettings, askClientToo, type LiveRoutingState } from './answer-wait.ts'
import { type Counting, InboxFallback } from './inbox-fallback.ts'
import { asAsked, isFromPerson, isYes, type PersonSettings, problemWith } from './person-answers.ts'
import { isPage, putOf, type RoundAskSettings, RoundAsks } from './round-asks.ts'
import { AnswerSender, forClientOf, isOutcome, isUnsent, type RoundClaims, type RoundResult } from './send-answers.ts'
import { chooseSurface, isInboxFirst, needsPerson, surfacesFor } from './surfaces.ts'
import { type OnUnseen, UnseenAnswers } from './unseen-answers.ts'

export interface RoutingSettings extends RoundAskSettings, PersonSettings, AnswerWaitSettings {
  /** Overrides how long a call can be held, whatever the client's known timeout is. */
  readonly patienceMs?: number
  /** Where the client works, if this process serves only one client. */
  readonly workplace?: NonNullable<ClientProfile['workplace']>
}

/** The client's answers to one round, and what happens to each question. */
interface Sorted {
  readonly kept: Answers
  readonly hasInboxAnswer: boolean
  /** The questions that move to the inbox. */
  readonly moving: readonly string[]
  /** Those of them that were answered too fast, now or in an earlier request. */
  readonly tooFast: readonly string[]
  readonly fastNow: readonly (readonly [key: string, given: InputResponse, afterMs: number])[]
}

export class Routing {
  readonly #store: Store
  readonly #settings: RoutingSettings
  readonly #shutdown: Shutdown
  readonly #unseen: UnseenAnswers
  readonly #asks: RoundAsks
  readonly #wait: AnswerWait
  readonly #sender: AnswerSender
  readonly #fallback: InboxFallback

  constructor(
    store: Store,
    settings: RoutingSettings,
    asking: OpenAskLimits,
    shutdown: Shutdown,
    claims: RoundClaims,
    onUnseen: OnUnseen = () => undefined,
    onError: (error: unknown) => void = () => undefined,
  ) {
    this.#store = store
    this.#settings = settings
    this.#shutdown = shutdown
    this.#unseen = new UnseenAnswers(store, settings, onUnseen)
    this.#fallback = new InboxFallback(store, settings, asking, onError)
    this.#asks = new RoundAsks(store, settings, asking, this.#fallback, onError)
    this.#wait = new AnswerWait(store, settings, shutdown, this.#asks, onError)
    const route = this.#routed.bind(this)
    this.#sender = new AnswerSender(store, claims, this.#asks, shutdown, route, onError)
  }

  get hasInbox(): boolean {
    return this.#settings.surfaces.includes('inbox')
  }

  /** The client's declared profile, and the capabilities sent to servers: with an inbox, people can always be asked. */
  profile(info: JsonObject, declared: JsonObject): ClientProfile {
    const capabilities = this.hasInbox ? { ...declared, elicitation: { form: {}, url: {} } } : declared
    const { workplace } = this.#settings
    const profile = { info, declared, capabilities: withAskMeta(capabilities), ...compact({ workplace }) }
    return {
      ...profile,
      shows: (wanted, server) => chooseSurface(this.#surfacesOf(server), profile, wanted) === 'client',
      isRecorded: (wanted, server) => {
        const surfaces = this.#surfacesOf(server)
        if (!this.hasInbox || !surfaces.includes('inbox') || isInboxFirst(surfaces)) return false
        return chooseSurface(surfaces, profile, wanted) === 'inbox'
      },
    }
  }

  /**
   * Returns a function that computes how long a call that began now can still be held for a caller that cannot retry.
   */
  patienceOf(call: Call, over: 'http' | 'stdio'): () => CallerWait {
    const beganAt = performance.now()
    const progress = objectAt(call.params, '_meta')?.progressToken !== undefined
    const allMs = this.#settings.patienceMs ?? holdableMs(traitsOf(call.client.info).patience, { progress, over })
    const goesAt = this.#shutdown.next
    return () => ({ forMs: Math.max(0, allMs - (performance.now() - beganAt)), canRetry: false, goesAt })
  }

  /** Routing for one request, above its call layer. */
  through(below: CallLayer, wait: CallerWait): Exchange<CallState, TimedResponse> {
    return {
      start: async (call) => this.#routeAndFollow(call, below, await below.start(call), wait),
      continue: (call, state, came) => this.#continue(call, below, state, came, wait),
    }
  }

  async #continue(
    call: Call,
    below: CallLayer,
    state: CallState,
    came: TimedResponses,
    wait: CallerWait,
  ): Promise<Outcome<CallState>> {
    const answers = asAsked(state, came)
    if (!isRouted(state)) {
      const given = await this.#unseen.screen(call, state, answers)
      return this.#routeAndFollow(call, below, await below.continue(call, state, given), wait)
    }
    const next = await this.#takenOrRefused(call, below, state, answers)
    if (next === 'running') return unfinished({ ...state, waits: state.waits + 1 }, [])
    return isOutcome(next) ? this.#routeAndFollow(call, below, next, wait) : this.#follow(call, below, next, wait)
  }

  /** Why a client's answer does not fit this form, as text; undefined when it need not be asked again. */
  problemWith({ client }: Call, wanted: InputRequest, came: TimedResponse): string | undefined {
    return problemWith(this.#settings, client, wanted, came)
  }

  /**
   * The questions of a round whose answers do not fit and that only the client is asked, with the reason of each.
   * Undefined when one of them has an ask in the inbox as well: then no question is repeated.
   *
   * @param forms what is needed to ask again and is not in the state (`formsToRepeat`)
   */
  async invalidAnswers(
    call: Call,
    state: CallState,
    came: TimedResponses,
    forms: JsonObject,
  ): Promise<Readonly<Record<string, { readonly wanted: InputRequest; readonly reason: string }>> | undefined> {
    const all: [string, { wanted: InputRequest; reason: string }][] = []
    for (const [key, one] of Object.entries(came)) {
      const wanted = questionIn(state, forms, key)
      const isElsewhere = isRouted(state) && (Object.hasOwn(state.inInbox, key) || Object.hasOwn(state.kept, key))
      const reason = wanted === undefined || isElsewhere ? undefined : this.problemWith(call, wanted, one)
      if (wanted === undefined || reason === undefined) continue
      const copy = isRouted(state) ? own(state.copies, key) : undefined
      if (copy !== undefined && (await this.#store.asks.read(call.tenant, copy)) !== undefined) return undefined
      all.push([key, { wanted, reason }])
    }
    return Object.fromEntries(all)
  }

  /**
   * Resolves with the reason, as text for the client, when the client need not show the question any more: it was
   * answered in the inbox; it is open there and the call cannot be held longer; or this process shuts down.
   */
  elsewhere(
    call: Call,
    outcome: NeedsInput<CallState>,
    key: string,
    forMs: number,
    signal: AbortSignal,
  ): Promise<string> {
    const copy = isRouted(outcome.state) ? own(outcome.state.copies, key) : undefined
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    if (copy !== undefined) this.#fallback.elsewhere(call, copy, forMs, signal).then(resolve, reject)
    const wanted = own(outcome.wanted, key)
    // A server that is blocked in this process could not receive an answer from the inbox of another one.
    if (outcome.over === undefined && isRouted(outcome.state) && wanted !== undefined && needsPerson(wanted)) {
      const unsubscribe = this.#shutdown.onPhase('final', () => resolve('It is now asked in the inbox.'))
      signal.addEventListener('abort', unsubscribe, { once: true })
    }
    return promise
  }

  /** The server no longer waits for an answer to this question. */
  async stopped(call: Call, state: CallState, key: string): Promise<void> {
    const copy = isRouted(state) ? own(state.copies, key) : undefined
    if (copy !== undefined) await this.#fallback.withdraw(call, copy, 'asker-stopped')
  }

  /** Withdraws the asks of a call whose caller dropped the request before it got a state to retry with. */
  async abandon(call: Call, { state }: NeedsInput<CallState>): Promise<void> {
    if (isRouted(state)) await this.#asks.abandon(call, state)
  }

  async #routeAndFollow(
    call: Call,
    below: CallLayer,
    outcome: Outcome<RelayState>,
    wait: CallerWait,
  ): Promise<Outcome<CallState>> {
    const next = await this.#routed(call, below, outcome)
    return isOutcome(next) ? next : this.#follow(call, below, next, wait)
  }

  /**
   * The routing state of a call that needs routing, or the outcome for the caller. A refused server may ask for less.
   */
  async #routed(call: Call, below: CallLayer, first: Outcome<RelayState>): Promise<RoundResult> {
    let outcome = first
    for (let round = 0; round < relayLimits.roundsPerCall; round++) {
      if (outcome.kind !== 'input-required') return outcome
      try {
        return (await this.#routeOf(call, below, outcome)) ?? outcome
      } catch (error) {
        if (!isTooManyOpen(error)) throw error
        outcome = await below.refuse(call, outcome.state, error)
      }
    }
    return askedTooOften
  }

  /** The routing state of a call; undefined when its outcome can be returned to the caller unchanged. */
  async #routeOf(
    call: Call,
    below: CallLayer,
    { state, wanted, asks = {}, over }: NeedsInput<RelayState>,
  ): Promise<LiveRoutingState | undefined> {
    const surfaces = this.#surfacesOf(state.server)
    if (!this.hasInbox || !surfaces.includes('inbox')) return undefined
    const copies = await this.#asks.raisePages(call, state, wanted, asks)
    const onRecord = { ...asks, ...copies }
    const inInbox = Object.entries(wanted).flatMap(([key, one]) =>
      chooseSurface(surfaces, call.client, one) === 'inbox' ? [key] : [],
    )
    const routed = { ...state, wanted, onRecord, inInbox: {}, copies, kept: {}, waits: 0 }
    try {
      const moved = await this.#asks.moveToInbox(call, below, routed, inInbox)
      return over === undefined ? moved : { ...moved, over }
    } catch (error) {
      if (isTooManyOpen(error)) await this.#asks.withdrawAll(call, Object.values(copies))
      throw error
    }
  }

  /**
   * Continues the call as far as possible: to questions for the client, to asks still open in the inbox, or to its end.
   */
  async #follow(call: Call, below: CallLayer, from: LiveRoutingState, wait: CallerWait): Promise<Outcome<CallState>> {
    let state = from
    for (let round = 0; round < relayLimits.roundsPerCall; round++) {
      const forClient = forClientOf(state)
      if (forClient.length > 0) return unfinished(this.#asks.withFallback(call, below, state, forClient), forClient)
      const quietMs = await this.#wait.quietMs(call, state, this.#surfacesOf(state.server))
      const answers = await this.#wait.answers(call, state, { ...wait, forMs: Math.min(wait.forMs, quietMs) })
      if (answers === undefined && quietMs < wait.forMs && !this.#wait.isSentOn(state, wait)) {
        // Read again: a reload may have changed them meanwhile.
        state = askClientToo(call, state, this.#surfacesOf(state.server))
        continue
      }
      if (answers === undefined) return unfinished({ ...state, waits: state.waits + 1 }, [])

      call.waiting?.ended(Object.values(state.inInbox))
      const next = await this.#sender.send(call, below, state, { ...state.kept, ...answers }, wait)
      if (next === 'running') return unfinished({ ...state, waits: state.waits + 1 }, [])
      if (!isUnsent(next)) await this.#asks.deleteSecrets(call, state, answers)
      if (isOutcome(next)) return next
      state = next
    }
    return askedTooOften
  }

  async #takenOrRefused(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    came: TimedResponses,
  ): Promise<RoundResult | 'running'> {
    try {
      return await this.#taken(call, below, state, came)
    } catch (error) {
      if (!isTooManyOpen(error)) throw error
      await this.#asks.withdrawRound(call, state)
      return below.refuse(call, relayPart(state), error)
    }
  }

  /** Adds the client's answers: those that can come from a person are kept, the other questions move to the inbox. */
  async #taken(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    came: TimedResponses,
  ): Promise<RoundResult | 'running'> {
    const { kept, hasInboxAnswer, moving, tooFast, fastNow } = await this.#sorted(call, below, state, came)
    // A round that was sent already raises no more asks.
    const sent = moving.length === 0 ? undefined : await this.#sender.sent(call, state)
    if (sent !== undefined) return sent
    const taken = { ...state, kept: { ...state.kept, ...kept }, ...(hasInboxAnswer ? { hasInboxAnswer } : {}) }
    const moved = await this.#asks.moveToInbox(call, below, taken, moving, tooFast)
    for (const [key, given, afterMs] of fastNow) {
      await this.#asks.noteFast(call, own(moved.inInbox, key), given, afterMs)
    }
    return moved
  }

  async #sorted(call: Call, below: CallLayer, state: RoutingState, came: TimedResponses): Promise<Sorted> {
    let { hasInboxAnswer = false } = state
    const kept: [string, InputResponse][] = []
    const moving: string[] = []
    const repeated: string[] = []
    const fastNow: [key: string, given: InputResponse, afterMs: number][] = []
    for (const [key, { given, afterMs }] of Object.entries(came)) {
      const wanted = own(state.wanted, key)
      if (wanted === undefined || Object.hasOwn(state.inInbox, key)) continue
      // A client cannot prove presence: the inbox asks.
      if (isYes(given) && needsPasskey(this.#settings.presence ?? 'none', wanted)) {
        moving.push(key)
        continue
      }
      // Agreeing to open a page is not an answer: what the person does on the page is, and we wait for that.
      const isOpening = isPage(wanted) && isYes(given)
      const isTimely = given !== undefined && (isOpening || this.#canCount(call, wanted, given, afterMs))
      const mayRepeat = isTimely && !isOpening && afterMs !== undefined && needsPerson(wanted)
      const isRepeated = mayRepeat && (await this.#unseen.has(call, state, key))
      const counts =
        isTimely && !isRepeated && !isOpening ? await this.#first(call, below, state, key, given) : undefined
      if (counts === undefined) moving.push(key)
      else kept.push([key, counts.given])
      hasInboxAnswer ||= counts?.isFromInbox === true
      if (isRepeated) repeated.push(key)
      if (given !== undefined && !isTimely) {
        await this.#unseen.note(call, state, key)
        fastNow.push([key, given, afterMs ?? 0])
      }
    }
    const tooFast = [...repeated, ...fastNow.map(([key]) => key)]
    return { kept: Object.fromEntries(kept), hasInboxAnswer, moving, tooFast, fastNow }
  }

  #canCount({ client }: Call, wanted: InputRequest, given: InputResponse, afterMs: number | undefined): boolean {
    return !needsPerson(wanted) || isFromPerson(this.#settings, client, given, afterMs)
  }

  /** The first of the client's and the inbox's answer; undefined when the inbox still asks. */
  async #first(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    key: string,
    given: InputResponse,
  ): Promise<Counting | undefined> {
    const [copy, wanted] = [own(state.copies, key), own(state.wanted, key)]
    if (copy === undefined || wanted === undefined) return { given }
    if (!call.signal.aborted) return this.#fallback.answered(putOf(call, below, state, wanted), copy, given)
    await this.#fallback.withdraw(call, copy, 'call-cancelled')
    return { given }
  }

  #surfacesOf(server: string): readonly Surface[] {
    return surfacesFor(this.#settings, server)
  }
}

function unfinished({ over, ...state }: LiveRoutingState, forClient: readonly string[]): NeedsInput<RoutingState> {
  const wanted = Object.fromEntries(Object.entries(state.wanted).filter(([key]) => forClient.includes(key)))
  return { kind: 'input-required', wanted, state, ...(over === undefined ? {} : { over }) }
}

export const askedTooOften = failed(errorCodes.refused, 'The server asked too often.')
