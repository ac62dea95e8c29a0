// Calls that a server keeps open while their caller has been asked to retry.
//
// Owns: this replica's table of held calls.
// Does not own: where a question is shown (route/), or the connection to the server (servers/).
// I1  A call is a row with an owner before its questions are sent; its questions are asks in the store.
// I2  An outcome is stored before it is returned, so a caller whose connection broke can fetch it again.
// I3  A caller that retries at another replica has the owner continue the call (remote-calls.ts).
// I4  When the owner dies its lease expires, and the caller gets an error instead of waiting.
// I5  After this replica's own lease had ended, a call that others ended meanwhile is dropped before it is continued.

import { isTooManyOpen, type JsonObject, type TooManyOpen, type WithdrawReason } from '@assent/core'
import type { Store } from '@assent/store'
import type { Heartbeat } from '../../cluster/heartbeat.ts'
import type { ForwardedIn } from '../../cluster/listener.ts'
import { relayLimits } from '../../limits.ts'
import { errorCodes } from '../../protocol/messages.ts'
import { parseExactly } from '../../protocol/server-messages.ts'
import { tryEach } from '../../protocol/try-each.ts'
import type { RelayState, RoutingState } from '../call-state.ts'
import type { CallLayer } from '../layers.ts'
import {
  type Answers,
  type Call,
  detached,
  type Ended,
  failed,
  heldId,
  type NeedsInput,
  type Outcome,
  storable,
} from '../model.ts'
import type { Relay } from '../relay.ts'
import { type GatewayWait, storedWaitMs } from '../route/ask-deadline.ts'
import { askedCall, raiseAsk } from '../route/inbox-asks.ts'
import type { Shutdown } from '../shutdown.ts'
import { type AttachedCall, AttachedCalls } from './attached-calls.ts'
import { each, endCalls } from './end-calls.ts'
import { Leases, withdrawReasonOf } from './leases.ts'
import { callerLeft, cancelAtServer, carriedOn, draftOf, isHeld, leaseLost, lost } from './lost-calls.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { PendingOutcomes } from './pending-outcomes.ts'
import { cancelPath, continuePath, type RemoteCallState, RemoteCalls, type ToOthers } from './remote-calls.ts'
import { settleAndSend, withdrawUnused } from './settle-asks.ts'

/** The parts of the relay that held calls use. */
export type HeldRelay = Pick<Relay, 'start' | 'continue' | 'refuse' | 'asking'>

interface HeldCall {
  readonly tenant: string
  readonly principal: string
  readonly requestDigest: string
  /** Of its first request. Those of a retry have the same name and arguments, because the digest covers them. */
  readonly params: JsonObject
  /** The ask of each question by its key. */
  readonly asks: Map<string, string>
  /** The last request, the state at which the server waits, and a promise that resolves when it does not wait any more. */
  wait?: { readonly call: Call; readonly state: RelayState; readonly over: Promise<void> }
}

/** The call layer of one request. */
export interface StartedCall extends CallLayer {
  /** Ends a call that was started here and whose caller got no state to retry with. */
  release(reason: WithdrawReason): void
}

export class HeldCalls {
  readonly #store: Store
  readonly #relay: HeldRelay
  readonly #wait: GatewayWait
  readonly #onError: (error: unknown) => void
  readonly #owner: string
  readonly #remote: RemoteCalls
  /** The calls that this replica holds. */
  readonly #held = new Map<string, HeldCall>()
  readonly #attached: AttachedCalls
  /** One request continues a call at a time: its end is the end for every request that waits for it. */
  readonly #continuing = new OneAtATime()
  readonly #leases: Leases
  readonly #pendingOutcomes: PendingOutcomes
  #isClosed = false

  constructor(
    store: Store,
    relay: HeldRelay,
    wait: GatewayWait,
    heartbeat: Heartbeat,
    others: ToOthers | undefined,
    shutdown: Shutdown,
    onError: (error: unknown) => void,
  ) {
    this.#owner = heartbeat.replica
    this.#leases = new Leases(store, heartbeat)
    this.#pendingOutcomes = new PendingOutcomes(store, this.#leases, onError)
    this.#remote = new RemoteCalls(store, others, shutdown)
    this.#store = store
    this.#relay = relay
    const isHeldHere = (id: string) => this.#held.has(id)
    this.#attached = new AttachedCalls(relay, this.#leases, this.#pendingOutcomes, isHeldHere, onError)
    this.#wait = wait
    this.#onError = onError
    heartbeat.onLapse(() => this.#dropEnded())
    heartbeat.onBeat(() => this.#settle().catch(onError))
  }

  /** The handlers for requests of other replicas, by path. */
  get handlers(): Readonly<Record<string, (forwarded: ForwardedIn) => Promise<void>>> {
    return {
      [continuePath]: (forwarded) =>
        this.#remote.continue(forwarded, (call, state, given, digest) => this.#continueFor(call, state, given, digest)),
      [cancelPath]: (forwarded) => this.#remote.cancel(forwarded),
    }
  }

  /** Number of calls that this replica holds. */
  get size(): number {
    return this.#held.size
  }

  /** The call layer for one request. Calls that a server holds are recorded. */
  below(requestDigest: string): StartedCall {
    let began: { readonly call: Call; readonly state: RelayState } | undefined
    return {
      start: async (call) => {
        const outcome = await this.#relay.start(call)
        if (isHeld(outcome)) began = { call, state: outcome.state }
        return this.#begun(call, outcome, requestDigest)
      },
      continue: (call, state, given) => this.#continue(call, state, given, requestDigest),
      refuse: async (call, state, error) =>
        this.#begun(call, await this.#relay.refuse(call, state, error), requestDigest),
      release: (reason) => {
        if (began !== undefined && this.#held.has(heldId(began.state.inner) ?? ''))
          this.#dropHeld(began.call, began.state, reason)
      },
    }
  }

  /** The call layer for one request whose caller stays connected. */
  inPlace(call: Call): AttachedCall {
    return this.#attached.of(call)
  }

  /** Takes over a call whose caller stopped waiting, if a server waits inside it. */
  async adopt(call: Call, state: RoutingState, over: Promise<void> | undefined, requestDigest: string): Promise<void> {
    const id = heldId(state.inner)
    if (id === undefined || this.#held.has(id)) return
    const asks = new Map(Object.entries(state.inInbox))
    if (this.#attached.remove(id)) this.#hold(call, id, requestDigest, asks)
    else if (over !== undefined) await this.#begin(call, id, state.server, requestDigest, asks)
    // Another replica holds the call, or it has ended.
    else return
    this.#watch(call, state, id, over)
  }

  async #begun(call: Call, outcome: Outcome<RelayState>, requestDigest: string): Promise<Outcome<RelayState>> {
    if (!isHeld(outcome)) return outcome
    try {
      return await this.#holdForAnswers(call, outcome, requestDigest)
    } catch (error) {
      this.#dropHeld(call, outcome.state, withdrawReasonOf(error))
      throw error
    }
  }

  /** The caller has no state to retry with, so the call at the server is cancelled and its asks are withdrawn. */
  #dropHeld(call: Call, state: RelayState, reason: WithdrawReason = 'owner-lost'): void {
    cancelAtServer(this.#relay, call, state).catch(this.#onError)
    this.#drop(call, heldId(state.inner) ?? '', lost, reason)
  }

  /** The server has ended the call with a question whose state the caller carries, so nothing waits here any more. */
  #dropCarried(call: Call, id: string): void {
    this.#drop(call, id, carriedOn, 'asker-stopped')
  }

  #drop({ tenant }: Call, id: string, outcome: Ended, reason: WithdrawReason): void {
    const asks = [...(this.#held.get(id)?.asks.values() ?? [])]
    this.#held.delete(id)
    this.#pendingOutcomes.store(id, { tenant, outcome, asks, reason })
  }

  /** Continues a call that is held here, or whose state the caller carries. */
  async #continue(call: Call, state: RelayState, given: Answers, requestDigest: string): Promise<Outcome<RelayState>> {
    const id = heldId(state.inner)
    if (id === undefined) return this.#begun(call, await this.#relay.continue(call, state, given), requestDigest)
    const isRepeated = this.#continuing.has(id)
    do {
      await this.#continuing.ended(id)
      await this.#pendingOutcomes.settle(id)
      if (this.#held.has(id)) await this.#leases.ensure()
      // Another request may have begun to continue the call meanwhile.
    } while (this.#continuing.has(id))
    // Another request continued the call meanwhile: a cancellation of this one must not end it.
    if (isRepeated && call.signal.aborted) return callerLeft
    if (!this.#held.has(id)) return this.#continueElsewhere(call, id, state, given, requestDigest)
    const continuing = this.#continuing.run(id, async () => {
      const asks = this.#held.get(id)?.asks ?? new Map<string, string>()
      const refusesSecrets = !this.#relay.asking.allowsSecrets(state.server)
      const delivering = { store: this.#store, tenant: call.tenant, asks, onError: this.#onError }
      const send = (answers: Answers) => this.#relay.continue(call, state, answers)
      const mayContinue = () => this.#leases.ensure().then(() => this.#held.has(id))
      const outcome = await settleAndSend(delivering, call, given, refusesSecrets, mayContinue, send)
      if (outcome.kind !== 'input-required') return await this.#finish(call, id, outcome)
      if (heldId(outcome.state.inner) !== id) this.#dropCarried(call, id)
      else if (!this.#held.has(id)) {
        cancelAtServer(this.#relay, call, outcome.state).catch(this.#onError)
        return await this.#storedOutcome(call, id)
      }
      return await this.#holdForAnswers(call, outcome, requestDigest)
    })
    return continuing.catch((error: unknown) => {
      // The caller may not retry, and the server may have stopped waiting meanwhile.
      this.#watch(call, state, id, this.#held.get(id)?.wait?.over)
      throw error
    })
  }

  /** Forwards the request to the replica that holds the call, and waits for the outcome. */
  async #continueElsewhere(
    call: Call,
    id: string,
    state: RelayState,
    given: Answers,
    requestDigest: string,
  ): Promise<Outcome<RelayState>> {
    const row = await this.#store.calls.read(call.tenant, id, call.principal)
    if (row?.state.kind !== 'running' || row.owner === this.#owner) return this.#storedOutcome(call, id)
    const isOver = async () => (await this.#store.calls.read(call.tenant, id, call.principal))?.state.kind !== 'running'
    const remote = await this.#remote.continueAt(row.owner, call, state, given, requestDigest, isOver)
    return remote?.kind === 'input-required' || remote?.kind === 'failed' ? remote : this.#storedOutcome(call, id)
  }

  /** Continues a call for a caller whose request reached another replica. Only the `_meta` of its params is in `call`. */
  async #continueFor(
    call: Call,
    state: RelayState,
    given: Answers,
    requestDigest: string,
  ): Promise<RemoteCallState | undefined> {
    const id = heldId(state.inner) ?? ''
    await this.#pendingOutcomes.settle(id)
    const held = this.#held.get(id)
    // Not held here, or of another tenant: the caller reads the row for the outcome.
    if (held === undefined || held.tenant !== call.tenant) return { kind: 'ended' }
    if (held.principal !== call.principal || held.requestDigest !== requestDigest) return undefined
    const { _meta: _ofFirst, ...params } = held.params
    const whole = { ...call, params: { ...params, ...call.params } }
    const outcome = await this.#continue(whole, state, given, requestDigest)
    return outcome.kind === 'input-required' ? outcome : { kind: 'ended' }
  }

  /** Records every held call as lost, so that a caller that retries at another replica gets an error at once. */
  async close(): Promise<void> {
    this.#isClosed = true
    const finish = (tenant: string, id: string) => this.#leases.finish(tenant, id, JSON.stringify(lost))
    const ends = [
      // First, because these calls have an outcome.
      each(this.#pendingOutcomes.ids, (id) => this.#pendingOutcomes.settle(id)),
      each(this.#held, async ([id, { tenant, asks }]) => {
        await finish(tenant, id)
        for (const ask of asks.values()) await this.#store.asks.withdraw(tenant, ask, 'owner-lost')
      }),
      each(this.#attached.all, ([id, tenant]) => finish(tenant, id)),
    ]
    await endCalls(ends, this.#onError)
    this.#held.clear()
    this.#attached.clear()
  }

  /** @param refusals how often a limit on open asks was reached for this call */
  async #holdForAnswers(
    call: Call,
    outcome: NeedsInput<RelayState>,
    requestDigest: string,
    refusals = 0,
  ): Promise<Outcome<RelayState>> {
    const { state } = outcome
    const id = heldId(state.inner)
    if (id === undefined) return outcome
    if (!this.#held.has(id)) await this.#begin(call, id, state.server, requestDigest, new Map())
    const { asks } = this.#held.get(id) ?? { asks: new Map<string, string>() }
    const { server, round } = state
    const raising = { server, isHeld: true, callId: id, room: this.#relay.asking, round }
    try {
      // Every stored ask is shown in the inbox.
      const isKept = !this.#relay.asking.isClientOnly(server)
      for (const [key, wanted] of Object.entries(isKept ? outcome.wanted : {})) {
        if (asks.has(key)) continue
        const waitMs = storedWaitMs(this.#wait, call, wanted, state, this.#store.nowMs())
        const ask = await raiseAsk(this.#store, askedCall(call, state.target), wanted, { ...raising, waitMs })
        if (ask !== undefined) asks.set(key, ask)
      }
    } catch (error) {
      if (!isTooManyOpen(error)) throw error
      return this.#noRoom(call, outcome, requestDigest, error, refusals)
    }
    this.#watch(call, state, id, outcome.over)
    return { ...outcome, asks: Object.fromEntries(asks) }
  }

  /** Returns the limit error to the server, which continues: to its end, or with other questions. */
  async #noRoom(
    call: Call,
    outcome: NeedsInput<RelayState>,
    requestDigest: string,
    error: TooManyOpen,
    refusals: number,
  ): Promise<Outcome<RelayState>> {
    const { state } = outcome
    const id = heldId(state.inner) ?? ''
    const asks = this.#held.get(id)?.asks
    for (const key of Object.keys(outcome.wanted)) {
      const ask = asks?.get(key)
      if (ask !== undefined) await this.#store.asks.withdraw(call.tenant, ask, 'undeliverable')
      asks?.delete(key)
    }
    const next = await this.#relay.refuse(call, state, error)
    if (next.kind !== 'input-required') return this.#finish(call, id, next)
    if (heldId(next.state.inner) !== id) this.#dropCarried(call, id)
    if (refusals < relayLimits.roundsPerCall) return this.#holdForAnswers(call, next, requestDigest, refusals + 1)
    this.#dropHeld(call, next.state)
    return failed(errorCodes.refused, error.message)
  }

  async #begin(call: Call, id: string, server: string, digest: string, asks: Map<string, string>): Promise<void> {
    await this.#leases.begin(draftOf(call, id, server, digest), () => this.#hold(call, id, digest, asks))
  }

  #hold({ tenant, principal, params }: Call, id: string, requestDigest: string, asks: Map<string, string>): void {
    this.#held.set(id, { tenant, principal, requestDigest, params, asks })
  }

  async #finish(call: Call, id: string, outcome: Ended): Promise<Ended> {
    const kept = storable(outcome)
    const finishing = this.#leases.finish(call.tenant, id, JSON.stringify(kept))
    const isOurs = await finishing
      .catch((error: unknown) => {
        this.#pendingOutcomes.add(id, { tenant: call.tenant, outcome: kept, asks: [] })
        throw error
      })
      .finally(() => this.#held.delete(id))
    if (!isOurs) return this.#storedOutcome(call, id)
    this.#store.calls.delivered(call.tenant, id).catch(this.#onError)
    return outcome
  }

  /** The stored outcome of a call that is not held here. */
  async #storedOutcome(call: Call, id: string): Promise<Ended> {
    const row = await this.#store.calls.read(call.tenant, id, call.principal)
    if (row?.state.kind !== 'finished') return row?.owner === this.#owner ? leaseLost : lost
    await this.#store.calls.delivered(call.tenant, id)
    return parseExactly(row.state.outcome) as Ended
  }

  /** Ends the call when the server stops waiting, unless a request continues it then. */
  #watch(call: Call, state: RelayState, id: string, over: Promise<void> | undefined): void {
    const held = this.#held.get(id)
    if (held === undefined || over === undefined) return
    held.wait = { call, state, over }
    over.then(() => this.#finishWithoutCaller(call, state, id)).catch(this.#onError)
  }

  /** The server stopped waiting. The caller may still retry to get the outcome. */
  async #finishWithoutCaller(call: Call, state: RelayState, id: string): Promise<void> {
    if (this.#isClosed || this.#continuing.has(id) || !this.#held.has(id)) return
    const finishing = this.#continuing.run(id, async () => {
      // If the store is unavailable the asks end by their deadline or with their call.
      for (const ask of this.#held.get(id)?.asks.values() ?? [])
        await withdrawUnused(this.#store, call.tenant, ask, 'asker-stopped').catch(this.#onError)
      const outcome = await this.#relay.continue(detached(call), state, {})
      if (outcome.kind !== 'input-required') await this.#finish(call, id, outcome)
      else if (heldId(outcome.state.inner) !== id) this.#dropCarried(call, id)
      else this.#watch(call, state, id, outcome.over)
    })
    await finishing.catch((error: unknown) => {
      if (this.#held.has(id)) this.#dropHeld(call, state)
      throw error
    })
  }

  /** Drops the calls that other replicas ended while this one could not renew its lease: their servers wait in vain. */
  async #dropEnded(): Promise<void> {
    const isKnown = (id: string) => this.#pendingOutcomes.has(id) || this.#held.has(id) || this.#attached.has(id)
    for (const id of await this.#leases.ended([...this.#held.keys(), ...this.#attached.ids], isKnown)) {
      const wait = this.#held.get(id)?.wait
      this.#held.delete(id)
      // A request that continues the call, or to which it is attached, ends it itself.
      if (!this.#attached.remove(id) && wait !== undefined && !this.#continuing.has(id))
        cancelAtServer(this.#relay, wait.call, wait.state).catch(this.#onError)
    }
  }

  /** Keeps the lease while calls are recorded here, and stores what the store could not take before. */
  async #settle(): Promise<void> {
    const owned = this.#held.size + this.#attached.ids.length + this.#pendingOutcomes.size + this.#leases.size
    if (owned > 0) await this.#leases.ensure()
    await tryEach([() => this.#leases.settle(), () => this.#pendingOutcomes.settleAll()], (settle) => settle())
  }
}
