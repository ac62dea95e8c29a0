// Deferred calls: the caller cannot wait as long as the person takes, and fetches the result with a later request.
//
// Owns: the stored states of these calls, by the ask that each waits for.
// I1  The state needed to continue is stored, sealed, under the id of the ask that the call waits for.
// I2  Any number of requests may continue a deferred call, at any replica: its answers are sent once, either by the replica
//     that holds the call (held-calls.ts) or under the claim of their round (claimed-rounds.ts). So a request that fails
//     before they were sent loses nothing.
// I3  Its outcome is stored before it is returned, so a caller that lost the result can fetch it again.

import {
  compact,
  isAssentError,
  isId,
  isPlainObject,
  type JsonObject,
  type KeyRing,
  requestDigest,
  unseal,
} from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'
import { errorCodes, objectAt, stringAt } from '../../protocol/messages.ts'
import { parseExactly } from '../../protocol/server-messages.ts'
import { sleep } from '../../protocol/sleep.ts'
import { type CallState, inboxLeftMs, isRouted, readCallState, relayPart, writeCallState } from '../call-state.ts'
import type { CallerWait, CallLayer } from '../layers.ts'
import { type Call, type Ended, failed, heldId, type NeedsInput, type Outcome } from '../model.ts'
import { neededBy } from '../route/approvals-needed.ts'
import { askLink, type InboxUrl } from '../route/ask-link.ts'
import { pendingResult, plainResult, unknownResult } from '../route/await-answer.ts'
import type { Routing } from '../route/routing.ts'
import { isSentOnce, isUnsent } from '../route/send-answers.ts'
import { sealState } from '../seal-state.ts'
import { outcomeText } from '../text/outcomes.ts'
import type { HeldCalls } from './held-calls.ts'
import { cancelAtServer } from './lost-calls.ts'
import { withdrawUnused } from './settle-asks.ts'

const purpose = 'deferred'
const onlyAtClient = failed(errorCodes.refused, outcomeText.onlyAtClient)
const tooLarge = failed(errorCodes.refused, outcomeText.tooLargeToStore)

export interface DeferredCallsSettings {
  readonly askWaitMs: number
  /** The address of the inbox, for the text that a caller gets. */
  readonly inboxUrl?: InboxUrl
}

export class DeferredCalls {
  readonly #store: Store
  readonly #keys: KeyRing
  readonly #routing: Routing
  readonly #heldCalls: HeldCalls
  readonly #settings: DeferredCallsSettings
  readonly #onError: (error: unknown) => void

  constructor(
    store: Store,
    keys: KeyRing,
    routing: Routing,
    heldCalls: HeldCalls,
    settings: DeferredCallsSettings,
    onError: (error: unknown) => void,
  ) {
    this.#store = store
    this.#keys = keys
    this.#routing = routing
    this.#heldCalls = heldCalls
    this.#settings = settings
    this.#onError = onError
  }

  /**
   * Stores a call that waits only for the inbox, and returns how to fetch its result. Fails if it is too large to
   * store.
   */
  async defer(call: Call, outcome: NeedsInput<CallState>, digest: string): Promise<Ended> {
    const pending = await this.keep(call, outcome, digest)
    if (pending !== undefined) return pending
    // The caller has no handle, so the answers could not be fetched.
    for (const ask of asksOf(outcome)) await withdrawUnused(this.#store, call.tenant, ask, 'caller-gone')
    await this.#cancelHeld(call, outcome, this.#heldCalls.below(digest))
    return tooLarge
  }

  /** Defers a call whose caller was asked to retry many times, and would have to for much longer. */
  async deferIfLong(call: Call, outcome: Outcome<CallState>, digest: string): Promise<Outcome<CallState>> {
    if (outcome.kind !== 'input-required' || !this.#routing.hasInbox || !isRouted(outcome.state)) return outcome
    const { waits, inInbox } = outcome.state
    const isLong = waits > relayLimits.waitsMost && Object.keys(inInbox).length > 0
    return isLong ? this.defer(call, outcome, digest) : outcome
  }

  /** Like `defer`, but undefined, with nothing changed, for a call that is too large to store. */
  async keep(call: Call, { state, over }: NeedsInput<CallState>, digest: string): Promise<Ended | undefined> {
    const [askId] = isRouted(state) ? Object.values(state.inInbox) : []
    if (!isRouted(state) || askId === undefined)
      throw new Error('Only a call that waits for the inbox can be deferred.')
    const { tenant, principal, method, params } = call
    const openMs = inboxLeftMs(state, this.#store.nowMs()) ?? 0
    const ttlMs = Math.ceil(Math.max(this.#settings.askWaitMs, openMs)) + relayLimits.deferredExtraMs
    const binding = { principal, purpose, requestDigest: digestOfHandle(askId), ttlMs }
    const payload = { method, params, digest, state: writeCallState(state) }
    const sealed = sealState({ keys: this.#keys, store: this.#store }, binding, payload)
    if (sealed === undefined) return undefined
    // Stored first: without the handle, holding the call would be useless.
    await this.#store.deferred.keep({ tenant, id: askId, principal, state: sealed, keepMs: ttlMs })
    await this.#heldCalls.adopt(call, state, over, digest)
    await call.waiting?.handOutAsHandle(Object.values(state.inInbox))
    return this.#pending(call, askId, Object.values(state.inInbox))
  }

  /** Handles a call of the await tool. It can be repeated at any time. */
  async fetch(call: Call, askId: string, wait: CallerWait): Promise<Ended> {
    try {
      return await this.#fetched(call, askId, wait)
    } catch (error) {
      if (!isAssentError(error, 'store_unavailable')) throw error
      return { kind: 'finished', result: unknownResult(askId) }
    }
  }

  async #fetched(call: Call, askId: string, wait: CallerWait): Promise<Ended> {
    const { tenant, principal } = call
    const found = isId(askId, 'ask') ? await this.#store.deferred.read(tenant, askId, principal) : undefined
    if (found === undefined) return textResult(outcomeText.unknownAsk)
    if (found.kind === 'finished') return parseExactly(found.outcome) as Ended
    const earlier = found.kind === 'waiting' ? this.#open(call, askId, found.state) : undefined
    if (earlier === undefined) return textResult(outcomeText.unreadableDeferred)

    const continued = { ...call, ...earlier.call }
    const retrying = { retry: { runsOn: false }, ...wait, canRetry: true }
    const below = this.#heldCalls.below(earlier.digest)
    const outcome = await this.#routing.through(below, retrying).continue(continued, earlier.state, {})
    // Without a result the same asks are still open, or another request continues the call.
    if (outcome.kind === 'input-required' && isWaitingFor(outcome, askId))
      return this.#pending(call, askId, asksOf(outcome), true)
    const ended = await this.#ended(continued, outcome, earlier.digest, below)
    if (isUnsent(ended)) return ended
    if (ended.kind === 'failed' && ended.isElsewhere === true) return this.#storedMeanwhile(call, askId, ended)
    const isStored = await this.#store.deferred.finish(tenant, askId, JSON.stringify(ended))
    return isStored ? ended : ((await this.#stored(call, askId)) ?? ended)
  }

  /** The outcome of a call that was continued: a handle if it asks in the inbox again. */
  async #ended(call: Call, outcome: Outcome<CallState>, digest: string, below: CallLayer): Promise<Ended> {
    if (outcome.kind !== 'input-required') return outcome
    if (asksOf(outcome).length > 0) return this.defer(call, outcome, digest)
    // The client of this request is not the one that made the call.
    await this.#cancelHeld(call, outcome, below)
    return onlyAtClient
  }

  async #cancelHeld(call: Call, { state }: NeedsInput<CallState>, below: CallLayer): Promise<void> {
    if (heldId(state.inner) !== undefined) await cancelAtServer(below, call, relayPart(state))
  }

  async #stored({ tenant, principal }: Call, askId: string): Promise<Ended | undefined> {
    const found = await this.#store.deferred.read(tenant, askId, principal)
    return found?.kind === 'finished' ? (parseExactly(found.outcome) as Ended) : undefined
  }

  /** The outcome that the request which ran the call stores; `otherwise` if it does not in time. */
  async #storedMeanwhile(call: Call, askId: string, otherwise: Ended): Promise<Ended> {
    const endsAt = performance.now() + relayLimits.storedMeanwhileMs
    while (performance.now() < endsAt && !call.signal.aborted) {
      const stored = await this.#stored(call, askId)
      if (stored !== undefined) return stored
      await sleep(relayLimits.claimedLookMs, call.signal)
    }
    return otherwise
  }

  #open(call: Call, askId: string, state: string): Earlier | undefined {
    const binding = { principal: call.principal, purpose, requestDigest: digestOfHandle(askId) }
    const opened = unseal(this.#keys, state, { ...binding, nowMs: this.#store.nowMs() })
    if (!opened.ok || !isPlainObject(opened.payload)) return undefined
    const payload = opened.payload as JsonObject
    const method = stringAt(payload, 'method')
    const params = objectAt(payload, 'params')
    const digest = stringAt(payload, 'digest')
    const continued = readCallState(payload.state)
    if (method === undefined || params === undefined || digest === undefined) return undefined
    // A state of which neither the holder nor a claim ensures that its answers are sent once.
    if (continued === undefined || !isSentOnce(continued)) return undefined
    // Later questions go to the inbox too: this is a different request, and its client waits for the result.
    const client = { ...call.client, declared: {} }
    return { call: { method, params, client }, state: continued, digest }
  }

  /** @param mayRun whether another request may be continuing the call, if all its asks have ended */
  async #pending(call: Call, askId: string, asks: readonly string[], mayRun = false): Promise<Ended> {
    // The handle must reach the caller even if the store fails here: it has no other way to fetch the result.
    const read = asks.map((id) => this.#store.asks.read(call.tenant, id).catch(this.#onError))
    const all = (await Promise.all(read)).filter((ask) => ask !== undefined)
    const ask = all.find(({ state }) => state.kind === 'open') ?? all[0]
    const pending = {
      askId,
      expiresAtMs: ask?.decideByMs ?? this.#store.nowMs() + this.#settings.askWaitMs,
      isAnswered: mayRun && ask?.state.kind === 'settled',
      ...compact({
        askUrl: askLink(this.#settings.inboxUrl, ask?.id ?? askId),
        needs: ask === undefined ? undefined : neededBy(ask),
      }),
    }
    const result = pendingResult(pending)
    if (call.method === 'tools/call') return { kind: 'finished', result }
    const [{ text }] = result.content as readonly [{ text: string }]
    return failed(errorCodes.refused, text, result.structuredContent as JsonObject)
  }
}

/** Whether the call still waits for this ask. */
function isWaitingFor(outcome: NeedsInput<CallState>, askId: string): boolean {
  return asksOf(outcome).includes(askId)
}

function asksOf({ state }: NeedsInput<CallState>): readonly string[] {
  return isRouted(state) ? Object.values(state.inInbox) : []
}

interface Earlier {
  readonly call: Pick<Call, 'method' | 'params' | 'client'>
  readonly state: CallState
  readonly digest: string
}

function digestOfHandle(askId: string): string {
  return requestDigest({ method: purpose, target: askId, arguments: {} })
}

function textResult(text: string): Ended {
  return { kind: 'finished', result: plainResult(text) }
}
