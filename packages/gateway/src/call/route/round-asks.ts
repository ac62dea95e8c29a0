// The asks of one round of questions: raised together, withdrawn together.
//
// Owns: raising the asks that the inbox shows, and withdrawing those that are no longer needed.
// I1  If one of several questions exceeds a limit, the asks raised with it are withdrawn: their answers could not be used.
// I2  The ask of a page for a secret exists before the page's address is sent to anyone.
// I3  An answer to an ask that is discarded is recorded as undelivered.

import { type Ask, isTooManyOpen, type WithdrawReason } from '@assent/core'
import type { Store } from '@assent/store'
import { own } from '../../protocol/own.ts'
import { type RelayState, type RoutingState, relayPart } from '../call-state.ts'
import type { CallLayer } from '../layers.ts'
import { type Answers, type Call, heldId, type InputRequest, type InputResponse } from '../model.ts'
import type { OpenAskLimits } from '../screen/open-limits.ts'
import { type GatewayWait, storedWaitMs } from './ask-deadline.ts'
import { deleteSentSecrets } from './delivery.ts'
import { type Announces, askedCall, type Raising, raiseAsk } from './inbox-asks.ts'
import type { InboxFallback, Put } from './inbox-fallback.ts'
import type { SurfaceSettings } from './surfaces.ts'
import { unseenAskId } from './unseen-answers.ts'
import { withinOrFail } from './wait-for-ask.ts'

export interface RoundAskSettings extends GatewayWait, SurfaceSettings {
  readonly announces?: Announces | undefined
}

export class RoundAsks {
  readonly #store: Store
  readonly #settings: RoundAskSettings
  readonly #asking: OpenAskLimits
  readonly #fallback: InboxFallback
  readonly #onError: (error: unknown) => void

  constructor(
    store: Store,
    settings: RoundAskSettings,
    asking: OpenAskLimits,
    fallback: InboxFallback,
    onError: (error: unknown) => void,
  ) {
    this.#store = store
    this.#settings = settings
    this.#asking = asking
    this.#fallback = fallback
    this.#onError = onError
  }

  /** Raises the asks of the pages for secrets in this round. The inbox shows them even when the client is asked too. */
  async raisePages(
    call: Call,
    state: RelayState,
    wanted: Readonly<Record<string, InputRequest>>,
    onRecord: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>> {
    const pages = Object.entries(wanted).filter(([, one]) => isPage(one))
    return this.#allOrNone(call, pages, async ([key, one]) => {
      const asked = askedCall(call, state.target)
      return own(onRecord, key) ?? (await raiseAsk(this.#store, asked, one, this.#raising(call, state, one)))
    })
  }

  /**
   * Moves these questions to the inbox. The ask of a held call is there already.
   *
   * @param tooFast the questions that the client answered too fast: each has one ask, however often the client retries
   */
  async moveToInbox(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    keys: readonly string[],
    tooFast: readonly string[] = [],
  ): Promise<RoutingState> {
    const moving = keys.map((key) => [key, own(state.wanted, key)] as const)
    const moved = await this.#allOrNone(call, moving, async ([key, one]) => {
      const onRecord = own(state.onRecord, key)
      const copy = own(state.copies, key)
      const copied = one && copy && (await this.#fallback.show(putOf(call, below, state, one), copy))
      const id = state.round !== undefined && tooFast.includes(key) ? unseenAskId(state.round, key) : undefined
      return onRecord ?? copied ?? (one && (await this.#raise(call, below, state, one, id)))
    })
    const nowMs = this.#store.nowMs()
    const waits = moving.flatMap(([, one]) => one ?? []).map((one) => this.#waitMs(call, state, one))
    const untilMs = Math.max(state.untilMs ?? 0, ...waits.map((waitMs) => nowMs + waitMs))
    const time = Object.keys(moved).length === 0 ? {} : { untilMs }
    return { ...state, ...time, inInbox: { ...state.inInbox, ...moved } }
  }

  /** Assigns each of these questions a fallback ask, raised if the client does not answer in time. */
  withFallback<State extends RoutingState>(call: Call, below: CallLayer, state: State, keys: readonly string[]): State {
    if (!this.#settings.surfaces.includes('inbox')) return state
    const copies = keys.flatMap((key): [string, string][] => {
      const wanted = own(state.wanted, key)
      // The asks of a held call are in the inbox from the start.
      const isThere = Object.hasOwn(state.copies, key) || Object.hasOwn(state.onRecord, key)
      if (isThere || (wanted?.kind !== 'form' && wanted?.kind !== 'url')) return []
      const copy = this.#fallback.begin(putOf(call, below, state, wanted))
      return copy === undefined ? [] : [[key, copy]]
    })
    return { ...state, copies: { ...state.copies, ...Object.fromEntries(copies) } }
  }

  /** Withdraws all asks of a round whose answers cannot be used. */
  async withdrawRound(call: Call, { copies, inInbox }: RoutingState): Promise<void> {
    for (const copy of Object.values(copies)) await this.#fallback.withdraw(call, copy, 'undeliverable')
    await this.withdrawAll(call, Object.values(inInbox))
  }

  async withdrawAll(call: Call, asks: readonly string[]): Promise<void> {
    for (const ask of asks) await this.discard(call, ask, 'undeliverable')
  }

  /** Withdraws the asks of a call whose caller dropped the request before it got a state to retry with. */
  async abandon(call: Call, { copies, inInbox }: RoutingState): Promise<void> {
    for (const copy of Object.values(copies))
      await this.#fallback.withdraw(call, copy, 'call-cancelled').catch(this.#onError)
    for (const ask of Object.values(inInbox)) await this.discard(call, ask, 'call-cancelled')
  }

  /** Withdraws an ask that is no longer needed. If it was answered first, the answer is recorded as undelivered. */
  async discard(call: Call, id: string, reason: WithdrawReason): Promise<void> {
    const ask = await this.withdraw(call, id, reason)
    if (ask?.state.kind === 'settled') await this.#noteUndelivered(call, id)
  }

  /** Returns the ended ask. If the store is slow the call continues without it: the ask expires by its deadline. */
  async withdraw({ tenant }: Call, id: string, reason: WithdrawReason): Promise<Ask | undefined> {
    const ended = await withinOrFail(this.#store.asks.withdraw(tenant, id, reason), 0).catch(this.#onError)
    return ended !== undefined && 'ask' in ended ? ended.ask : undefined
  }

  /** Records the inbox answers among these as undelivered. */
  async noteUndelivered(call: Call, { inInbox }: RoutingState, given: Answers): Promise<void> {
    for (const [key, id] of Object.entries(inInbox)) {
      const answer = own(given, key)
      if (answer !== undefined && 'result' in answer) await this.#noteUndelivered(call, id)
    }
  }

  /** Deletes secret answers that have reached the server: only their digests stay in the store. */
  async deleteSecrets({ tenant }: Call, { inInbox, copies }: RoutingState, answers: Answers): Promise<void> {
    const asks = new Map(Object.entries({ ...copies, ...inInbox }))
    await deleteSentSecrets({ store: this.#store, tenant, asks, onError: this.#onError }, answers)
  }

  /** Records on the ask why it is asked again. Has the short store timeout, so that it does not delay the call. */
  async noteFast({ tenant }: Call, id: string | undefined, given: InputResponse, afterMs: number): Promise<void> {
    const action = 'result' in given ? given.result.action : undefined
    if (id === undefined || (action !== 'accept' && action !== 'decline' && action !== 'cancel')) return
    await withinOrFail(this.#store.asks.noteFastAnswer(tenant, id, { action, afterMs }), 0).catch(this.#onError)
  }

  async #noteUndelivered({ tenant }: Call, id: string): Promise<void> {
    await withinOrFail(this.#store.asks.undelivered(tenant, id, true), 0).catch(this.#onError)
  }

  async #allOrNone<Value>(
    call: Call,
    questions: readonly (readonly [string, Value])[],
    raise: (question: readonly [string, Value]) => Promise<string | undefined>,
  ): Promise<Readonly<Record<string, string>>> {
    const asks: [string, string][] = []
    try {
      for (const question of questions) {
        const ask = await raise(question)
        if (ask !== undefined) asks.push([question[0], ask])
      }
    } catch (error) {
      const raised = asks.map(([, ask]) => ask)
      if (isTooManyOpen(error)) await this.withdrawAll(call, raised)
      throw error
    }
    return Object.fromEntries(asks)
  }

  /** @param id set when the same question may have been raised before */
  async #raise(
    call: Call,
    below: CallLayer,
    state: RelayState,
    wanted: InputRequest,
    id?: string,
  ): Promise<string | undefined> {
    if (id !== undefined && (await this.#store.asks.read(call.tenant, id)) !== undefined) return id
    const callId = await below.record?.(relayPart(state))
    const raising = { ...this.#raising(call, state, wanted), ...(id === undefined ? {} : { id }) }
    const asked = askedCall(call, state.target)
    return raiseAsk(this.#store, asked, wanted, callId === undefined ? raising : { ...raising, callId })
  }

  #raising(call: Call, state: RelayState, wanted: InputRequest): Raising {
    const { server, round } = state
    const isHeld = heldId(state.inner) !== undefined
    return {
      server,
      waitMs: this.#waitMs(call, state, wanted),
      isHeld,
      room: this.#asking,
      round,
      presence: this.#asking.presence,
      announces: this.#settings.announces,
    }
  }

  #waitMs(call: Call, state: RelayState, wanted: InputRequest): number {
    return storedWaitMs(this.#settings, call, wanted, state, this.#store.nowMs())
  }
}

/** Whether it is a page of this gateway on which the person enters a secret. */
export function isPage(wanted: InputRequest): boolean {
  return wanted.kind === 'url' && wanted.secret !== undefined
}

/** The question as its fallback needs it. */
export function putOf(call: Call, below: CallLayer, state: RelayState, wanted: InputRequest): Put {
  const isHeld = heldId(state.inner) !== undefined
  const put = { call: askedCall(call, state.target), server: state.server, wanted, isHeld, round: state.round }
  const record = below.record?.bind(below, relayPart(state))
  return record === undefined ? put : { ...put, record }
}
