// Follows a call from the outcome of one request to its server: to questions for the client, to asks that are still open in
// the inbox, or to the end of the call.
//
// Owns: the sequence of rounds of one call. The state of a round is in RoutingState.
// Does not own: raising asks (round-asks.ts), waiting (answer-wait.ts), sending answers (send-answers.ts), the client's
// answers (client-answers.ts).
// I1  The client is asked every question that is neither in the inbox nor answered.
// I2  When a limit on open asks is reached, the server is refused and may ask for less; nothing of its round stays open.
// I3  It ends: a server that keeps asking is refused after a number of rounds.

import { isTooManyOpen, type Surface } from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'
import { errorCodes } from '../../protocol/messages.ts'
import type { CallState, RelayState } from '../call-state.ts'
import type { CallerWait, CallLayer } from '../layers.ts'
import { type Call, failed, type NeedsInput, type Outcome } from '../model.ts'
import type { Shutdown } from '../shutdown.ts'
import {
  AnswerWait,
  type AnswerWaitSettings,
  askClientToo,
  type LiveRoutingState,
  stillRunning,
  unfinished,
} from './answer-wait.ts'
import type { RoundAsks } from './round-asks.ts'
import { AnswerSender, forClientOf, isOutcome, isUnsent, type RoundClaims, type RoundResult } from './send-answers.ts'
import { chooseSurface, hasInbox, type SurfaceSettings, surfacesFor } from './surfaces.ts'

export type FollowingSettings = SurfaceSettings & AnswerWaitSettings

export const askedTooOften = failed(errorCodes.refused, 'The server asked too often.')

export class Following {
  /** Sends the answers of a round. */
  readonly sender: AnswerSender
  readonly #settings: FollowingSettings
  readonly #asks: RoundAsks
  readonly #wait: AnswerWait

  constructor(
    store: Store,
    settings: FollowingSettings,
    asks: RoundAsks,
    shutdown: Shutdown,
    claims: RoundClaims,
    onError: (error: unknown) => void,
  ) {
    this.#settings = settings
    this.#asks = asks
    this.#wait = new AnswerWait(store, settings, shutdown, asks, onError)
    this.sender = new AnswerSender(store, claims, asks, shutdown, this.routed.bind(this), onError)
  }

  async routeAndFollow(
    call: Call,
    below: CallLayer,
    outcome: Outcome<RelayState>,
    wait: CallerWait,
  ): Promise<Outcome<CallState>> {
    const next = await this.routed(call, below, outcome)
    return isOutcome(next) ? next : this.follow(call, below, next, wait)
  }

  /**
   * The routing state of a call that needs routing, or the outcome for the caller. A refused server may ask for less.
   */
  async routed(call: Call, below: CallLayer, first: Outcome<RelayState>): Promise<RoundResult> {
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
    if (!hasInbox(this.#settings) || !surfaces.includes('inbox')) return undefined
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
  async follow(call: Call, below: CallLayer, from: LiveRoutingState, wait: CallerWait): Promise<Outcome<CallState>> {
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
      const given = { ...state.kept, ...answers }
      const next = await this.sender.send(call, below, state, given, wait)
      if (next === 'running') return stillRunning(state, wait)
      if (!isUnsent(next)) await this.#asks.deleteSecrets(call, state, given)
      if (isOutcome(next)) return next
      state = next
    }
    return askedTooOften
  }

  #surfacesOf(server: string): readonly Surface[] {
    return surfacesFor(this.#settings, server)
  }
}
