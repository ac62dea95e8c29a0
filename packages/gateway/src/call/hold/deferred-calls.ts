// Deferred calls: the caller cannot wait as long as the person takes, and fetches the result with a later request.
//
// I1  The state needed to continue is stored, sealed, under the id of the ask that the call waits for.
// I2  A deferred call is continued under a claim, once.
// I3  Its outcome is stored before it is returned, so a caller that lost the result can fetch it again.

import { isAssentError, isId, isPlainObject, type JsonObject, type KeyRing, requestDigest, unseal } from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'
import { errorCodes, objectAt, stringAt } from '../../protocol/messages.ts'
import { parseExactly } from '../../protocol/server-messages.ts'
import { sleep } from '../../protocol/sleep.ts'
import { type CallState, inboxLeftMs, isRouted, readCallState, writeCallState } from '../call-state.ts'
import type { CallerWait, CallLayer } from '../layers.ts'
import { type Call, type Ended, failed, type NeedsInput, type Outcome, unsent } from '../model.ts'
import { awaitTool, pendingResult, plainResult, unknownResult } from '../route/await-answer.ts'
import type { Routing } from '../route/routing.ts'
import { sealState } from '../seal-state.ts'
import type { AttachedCall } from './attached-calls.ts'
import type { HeldCalls } from './held-calls.ts'
import { lost } from './lost-calls.ts'
import { withdrawUnused } from './settle-asks.ts'

const purpose = 'deferred'
const tooLarge = failed(
  errorCodes.refused,
  'A person has not answered yet, and this call is too large to be stored until then. Call it again with less data.',
)
const taken = unsent(errorCodes.refused, 'Another request is already continuing this call.')

export interface DeferredCallsSettings {
  readonly askWaitMs: number
  /** The address of the inbox, for the text that a caller gets. */
  readonly inboxUrl?: string | (() => string | undefined)
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
    const asks = isRouted(outcome.state) ? Object.values(outcome.state.inInbox) : []
    for (const ask of asks) await withdrawUnused(this.#store, call.tenant, ask, 'caller-gone')
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
    return this.#pending(call, askId)
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
    if (found === undefined) return textResult('Unknown ask_id. Its result may have expired.')
    if (found.kind === 'finished') return parseExactly(found.outcome) as Ended
    if (found.kind === 'claimed') return this.#whileClaimed(call, askId)

    const earlier = this.#open(call, askId, found.state)
    if (earlier === undefined) return textResult('The stored state of that call can no longer be read.')
    const running = this.#heldCalls.inPlace(call)
    let unstored: Ended | undefined
    try {
      const { outcome, isClaimed } = await this.#continueCall(
        { ...call, ...earlier.call },
        askId,
        earlier,
        wait,
        running,
      )
      if (outcome === taken) return await this.#whileClaimed(call, askId)
      if (outcome === undefined) return await this.#pending(call, askId)
      if (!isClaimed) return outcome
      // The call has run. If the store fails now, a retry finds the outcome in the row of the call that ran it.
      unstored = outcome
      await this.#store.deferred.finish(tenant, askId, JSON.stringify(outcome))
      unstored = undefined
      return outcome
    } finally {
      running.end(unstored)
    }
  }

  /** Without an outcome while the questions are still open. */
  async #continueCall(
    call: Call,
    askId: string,
    { state, digest }: Earlier,
    wait: CallerWait,
    running: AttachedCall,
  ): Promise<{ outcome: Ended | undefined; isClaimed: boolean }> {
    const below = this.#heldCalls.below(digest)
    let isClaimed = false
    const claiming: CallLayer = {
      start: below.start,
      refuse: below.refuse,
      continue: async (inner, relayState, given) => {
        // For a call that another replica holds, this only reads the state, which is safe to repeat.
        if (!isClaimed && this.#heldCalls.canContinue(relayState)) {
          // Recorded first, so that a retry gets an error if this process dies during the call.
          const callId = await this.#heldCalls.recordOf(relayState, running)
          isClaimed = await this.#store.deferred.claim(call.tenant, askId, call.principal, callId)
          if (!isClaimed) return taken
        }
        return below.continue(inner, relayState, given)
      },
    }
    const retrying = { retry: { runsOn: false }, ...wait, canRetry: true }
    const outcome = await this.#routing.through(claiming, retrying).continue(call, state, {})
    if (outcome.kind !== 'input-required') return { outcome, isClaimed }
    return { outcome: isClaimed ? await this.defer(call, outcome, digest) : undefined, isClaimed }
  }

  async #whileClaimed(call: Call, askId: string): Promise<Ended> {
    const endsAt = performance.now() + relayLimits.claimedWaitMs
    let sinceMs = Date.now()
    while (performance.now() < endsAt) {
      const found = await this.#store.deferred.read(call.tenant, askId, call.principal)
      if (found?.kind === 'finished') return parseExactly(found.outcome) as Ended
      if (found?.kind === 'claimed') {
        sinceMs = found.atMs
        const ended = await this.#endOfClaimed(call, askId, found.callId)
        if (ended !== undefined) return ended
      }
      await sleep(relayLimits.claimedLookMs)
    }
    const since = new Date(sinceMs).toISOString()
    return textResult(
      `The person has answered, and the call continued at ${since}. It has not ended yet, or the process that ran it has stopped; ` +
        `then it is not known whether it did anything. Call ${awaitTool} again later, or check before you repeat the call.`,
    )
  }

  /** The outcome of a call that another request continued; undefined while it runs. */
  async #endOfClaimed(
    { tenant, principal }: Call,
    askId: string,
    callId: string | undefined,
  ): Promise<Ended | undefined> {
    if (callId === undefined) return undefined
    const row = await this.#store.calls.read(tenant, callId, principal)
    if (row?.state.kind === 'running') return undefined
    // The outcome is stored before the call ends.
    const found = await this.#store.deferred.read(tenant, askId, principal)
    if (found?.kind === 'finished') return parseExactly(found.outcome) as Ended
    return row?.state.kind === 'finished' ? (parseExactly(row.state.outcome) as Ended) : lost
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
    if (method === undefined || params === undefined || digest === undefined || continued === undefined)
      return undefined
    // Later questions go to the inbox too: this is a different request, and its client waits for the result.
    const client = { ...call.client, declared: {} }
    return { call: { method, params, client }, state: continued, digest }
  }

  async #pending(call: Call, askId: string): Promise<Ended> {
    // The handle must reach the caller even if the store fails here: it has no other way to fetch the result.
    const ask = await this.#store.asks.read(call.tenant, askId).catch(this.#onError)
    const given = this.#settings.inboxUrl
    const inboxUrl = typeof given === 'function' ? given() : given
    const pending = {
      askId,
      expiresAtMs: ask?.decideByMs ?? this.#store.nowMs() + this.#settings.askWaitMs,
      ...(inboxUrl === undefined ? {} : { inboxUrl }),
    }
    const result = pendingResult(pending)
    if (call.method === 'tools/call') return { kind: 'finished', result }
    const [{ text }] = result.content as readonly [{ text: string }]
    return failed(errorCodes.refused, text, result.structuredContent as JsonObject)
  }
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
