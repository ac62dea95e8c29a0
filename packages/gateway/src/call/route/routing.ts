// Routing: on which surface each question of a call is asked, the client or the inbox (surfaces.ts).
//
// An answer from the client that is faster than a person can read moves the question to the inbox. When the first surface
// does not answer for too long, both ask, and the first answer counts. Without an inbox this layer changes nothing. It is
// independent of the protocol revision: questions for the client are returned as `input-required`, with an empty list while
// only the inbox asks.
//
// Owns: what the rest of the gateway uses of this folder; the profile of a client.
// Does not own: the rounds of a call (following.ts), the client's answers (client-answers.ts), asks (round-asks.ts).

import type { JsonObject, Surface } from '@assent/core'
import type { Store } from '@assent/store'
import { objectAt } from '../../protocol/messages.ts'
import { own } from '../../protocol/own.ts'
import { answeredState, type CallState, isRouted, questionIn } from '../call-state.ts'
import { holdableMs } from '../clients/request-timeouts.ts'
import { traitsOf } from '../clients/traits-of.ts'
import type { CallerWait, CallLayer, TimedResponse, TimedResponses } from '../layers.ts'
import type { Call, ClientProfile, Exchange, InputRequest, NeedsInput, Outcome } from '../model.ts'
import { type OnJoined, withOwnEntry } from '../record/joined-calls.ts'
import type { OpenAskLimits } from '../screen/open-limits.ts'
import type { Shutdown } from '../shutdown.ts'
import { stillRunning } from './answer-wait.ts'
import { ClientAnswers } from './client-answers.ts'
import { type ClientProfileSettings, clientProfile } from './client-profile.ts'
import { Following, type FollowingSettings } from './following.ts'
import { InboxFallback } from './inbox-fallback.ts'
import { asAsked, type PersonSettings, problemWith } from './person-answers.ts'
import { type RoundAskSettings, RoundAsks } from './round-asks.ts'
import { isOfApproval, isOutcome, type RoundClaims } from './send-answers.ts'
import { hasInbox, needsPerson, surfacesFor } from './surfaces.ts'
import { type OnUnseen, UnseenAnswers } from './unseen-answers.ts'

export interface RoutingSettings extends RoundAskSettings, PersonSettings, FollowingSettings, ClientProfileSettings {
  /** Overrides how long a call can be held, whatever the client's known timeout is. */
  readonly patienceMs?: number
}

export class Routing {
  readonly #store: Store
  readonly #settings: RoutingSettings
  readonly #shutdown: Shutdown
  readonly #unseen: UnseenAnswers
  readonly #asks: RoundAsks
  readonly #following: Following
  readonly #answers: ClientAnswers
  readonly #fallback: InboxFallback
  readonly #onJoined: OnJoined

  constructor(
    store: Store,
    settings: RoutingSettings,
    asking: OpenAskLimits,
    shutdown: Shutdown,
    claims: RoundClaims,
    onUnseen: OnUnseen = () => undefined,
    onError: (error: unknown) => void = () => undefined,
    onJoined: OnJoined = () => undefined,
  ) {
    this.#onJoined = onJoined
    this.#store = store
    this.#settings = settings
    this.#shutdown = shutdown
    this.#unseen = new UnseenAnswers(store, settings, onUnseen)
    this.#fallback = new InboxFallback(store, settings, asking, onError)
    this.#asks = new RoundAsks(store, settings, asking, this.#fallback, onError)
    this.#following = new Following(store, settings, this.#asks, shutdown, claims, onError)
    const { sender } = this.#following
    const parts = { settings, unseen: this.#unseen, fallback: this.#fallback, asks: this.#asks, sender }
    this.#answers = new ClientAnswers(parts)
  }

  get hasInbox(): boolean {
    return hasInbox(this.#settings)
  }

  /** The client's declared profile, and the capabilities sent to servers: with an inbox, people can always be asked. */
  profile(info: JsonObject, declared: JsonObject): ClientProfile {
    return clientProfile(this.#settings, (server) => this.#surfacesOf(server), info, declared)
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
      start: async (call) => {
        const first = await below.start(call)
        const outcome = await this.#following.routeAndFollow(call, below, first, wait)
        return first.kind === 'input-required' ? withOwnEntry(call, first.state, outcome, this.#onJoined) : outcome
      },
      continue: async (call, state, came) =>
        withOwnEntry(call, state, await this.#continue(call, below, state, came, wait), this.#onJoined),
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
      if (isOfApproval(state)) {
        return this.#following.follow(call, below, answeredState(state, given), wait)
      }
      return this.#following.routeAndFollow(call, below, await below.continue(call, state, given), wait)
    }
    const next = await this.#answers.take(call, below, state, answers, wait)
    if (next === 'running') return stillRunning(state, wait)
    return isOutcome(next)
      ? this.#following.routeAndFollow(call, below, next, wait)
      : this.#following.follow(call, below, next, wait)
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

  /** The client is not asked these questions any more, so the inbox must not begin to ask them either. */
  stopFallback({ state }: NeedsInput<CallState>): void {
    if (isRouted(state)) for (const copy of Object.values(state.copies)) this.#fallback.stop(copy)
  }

  /** Withdraws the asks of a call whose caller dropped the request before it got a state to retry with. */
  async abandon(call: Call, { state }: NeedsInput<CallState>): Promise<void> {
    if (isRouted(state)) await this.#asks.abandon(call, state)
  }

  #surfacesOf(server: string): readonly Surface[] {
    return surfacesFor(this.#settings, server)
  }
}
