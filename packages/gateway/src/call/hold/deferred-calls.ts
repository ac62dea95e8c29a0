// Deferred calls: the caller cannot wait as long as the person takes, and fetches the result with a later request.
//
// I1  The state needed to continue is stored, sealed, under the id of the ask that the call waits for.
// I2  A deferred call is continued under a claim, once.
// I3  Its outcome is stored before it is returned, so a caller that lost the result can fetch it again.

import { randomBytes } from 'node:crypto'
import {
  isAssentError,
  isId,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  type KeyRing,
  requestDigest,
  seal,
  unseal,
} from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'
import { errorCodes, objectAt, stringAt } from '../../protocol/messages.ts'
import { parseExactly } from '../../protocol/server-messages.ts'
import { sleep } from '../../protocol/sleep.ts'
import { type Call, failed, type Outcome, unsent } from '../model.ts'
import { awaitTool, pendingResult, plainResult, unknownResult } from '../route/await-answer.ts'
import type { CallLayer, Hold, Routing } from '../route/routing.ts'
import { readRoutingState } from '../route/routing-state.ts'
import { type AttachedCall, type HeldCalls, lost } from './held-calls.ts'

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
  async defer(call: Call, outcome: Outcome & { kind: 'input-required' }, digest: string): Promise<Outcome> {
    const pending = await this.keep(call, outcome, digest)
    if (pending !== undefined) return pending
    // The caller has no handle, so the answers could not be fetched.
    const asks = Object.values(readRoutingState(outcome.resume)?.inInbox ?? {})
    for (const ask of asks) {
      const ended = await this.#store.asks.withdraw(call.tenant, ask, 'caller-gone')
      if (ended.kind === 'ended' && ended.ask.state.kind === 'settled')
        await this.#store.asks.undelivered(call.tenant, ask, false)
    }
    return tooLarge
  }

  /** Like `defer`, but undefined, with nothing changed, for a call that is too large to store. */
  async keep(call: Call, outcome: Outcome & { kind: 'input-required' }, digest: string): Promise<Outcome | undefined> {
    const routing = readRoutingState(outcome.resume)
    const [askId] = Object.values(routing?.inInbox ?? {})
    if (routing === undefined || askId === undefined)
      throw new Error('Only a call that waits for the inbox can be deferred.')
    const { tenant, principal, method, params } = call
    const openMs = routing.untilMs === undefined ? 0 : routing.untilMs - this.#store.nowMs()
    const ttlMs = Math.ceil(Math.max(this.#settings.askWaitMs, openMs)) + relayLimits.deferredExtraMs
    const binding = { principal, purpose, requestDigest: digestOfHandle(askId), ttlMs }
    const payload = { method, params, digest, resume: outcome.resume }
    const state = this.#sealed(binding, payload)
    if (state === undefined) return undefined
    // Stored first: without the handle, holding the call would be useless.
    await this.#store.deferred.keep({ tenant, id: askId, principal, state, keepMs: ttlMs })
    await this.#heldCalls.adopt(call, routing, outcome.over, digest)
    await call.waiting?.handOutAsHandle(Object.values(routing.inInbox))
    return this.#pending(call, askId)
  }

  /** Undefined when the payload exceeds the size limit of sealed state. */
  #sealed(binding: Parameters<typeof seal>[1], payload: JsonValue): string | undefined {
    try {
      return seal(this.#keys, binding, payload, { nowMs: this.#store.nowMs(), random: randomBytes })
    } catch (error) {
      if (isAssentError(error, 'limit_exceeded')) return undefined
      throw error
    }
  }

  /** Handles a call of the await tool. It can be repeated at any time. */
  async fetch(call: Call, askId: string, hold: Hold): Promise<Outcome> {
    try {
      return await this.#fetched(call, askId, hold)
    } catch (error) {
      if (!isAssentError(error, 'store_unavailable')) throw error
      return { kind: 'finished', result: unknownResult(askId) }
    }
  }

  async #fetched(call: Call, askId: string, hold: Hold): Promise<Outcome> {
    const { tenant, principal } = call
    const found = isId(askId, 'ask') ? await this.#store.deferred.read(tenant, askId, principal) : undefined
    if (found === undefined) return textResult('Unknown ask_id. Its result may have expired.')
    if (found.kind === 'finished') return parseExactly(found.outcome) as Outcome
    if (found.kind === 'claimed') return this.#whileClaimed(call, askId)

    const earlier = this.#open(call, askId, found.state)
    if (earlier === undefined) return textResult('The stored state of that call can no longer be read.')
    const running = this.#heldCalls.inPlace(call)
    let unstored: Outcome | undefined
    try {
      const { outcome, isClaimed } = await this.#continueCall(
        { ...call, ...earlier.call },
        askId,
        earlier,
        hold,
        running,
      )
      if (outcome === taken) return await this.#whileClaimed(call, askId)
      if (!isClaimed) return outcome.kind === 'input-required' ? await this.#pending(call, askId) : outcome
      // The call has run. If the store fails now, a retry finds the outcome in the row of the call that ran it.
      unstored = outcome
      await this.#store.deferred.finish(tenant, askId, JSON.stringify(outcome))
      unstored = undefined
      return outcome
    } finally {
      running.end(unstored)
    }
  }

  async #continueCall(
    call: Call,
    askId: string,
    { resume, digest }: Earlier,
    hold: Hold,
    running: AttachedCall,
  ): Promise<{ outcome: Outcome; isClaimed: boolean }> {
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
    const outcome = await this.#routing.continue(
      call,
      claiming,
      resume,
      {},
      {
        retry: { runsOn: false },
        ...hold,
        canRetry: true,
      },
    )
    const isDeferred = isClaimed && outcome.kind === 'input-required'
    return { outcome: isDeferred ? await this.defer(call, outcome, digest) : outcome, isClaimed }
  }

  async #whileClaimed(call: Call, askId: string): Promise<Outcome> {
    const endsAt = performance.now() + relayLimits.claimedWaitMs
    let sinceMs = Date.now()
    while (performance.now() < endsAt) {
      const found = await this.#store.deferred.read(call.tenant, askId, call.principal)
      if (found?.kind === 'finished') return parseExactly(found.outcome) as Outcome
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
  ): Promise<Outcome | undefined> {
    if (callId === undefined) return undefined
    const row = await this.#store.calls.read(tenant, callId, principal)
    if (row?.state.kind === 'running') return undefined
    // The outcome is stored before the call ends.
    const found = await this.#store.deferred.read(tenant, askId, principal)
    if (found?.kind === 'finished') return parseExactly(found.outcome) as Outcome
    return row?.state.kind === 'finished' ? (parseExactly(row.state.outcome) as Outcome) : lost
  }

  #open(call: Call, askId: string, state: string): Earlier | undefined {
    const binding = { principal: call.principal, purpose, requestDigest: digestOfHandle(askId) }
    const opened = unseal(this.#keys, state, { ...binding, nowMs: this.#store.nowMs() })
    if (!opened.ok || !isPlainObject(opened.payload)) return undefined
    const payload = opened.payload as JsonObject
    const method = stringAt(payload, 'method')
    const params = objectAt(payload, 'params')
    const digest = stringAt(payload, 'digest')
    if (method === undefined || params === undefined || digest === undefined) return undefined
    // Later questions go to the inbox too: this is a different request, and its client waits for the result.
    const client = { ...call.client, declared: {} }
    return { call: { method, params, client }, resume: payload.resume ?? null, digest }
  }

  async #pending(call: Call, askId: string): Promise<Outcome> {
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
  readonly resume: JsonValue
  readonly digest: string
}

function digestOfHandle(askId: string): string {
  return requestDigest({ method: purpose, target: askId, arguments: {} })
}

function textResult(text: string): Outcome {
  return { kind: 'finished', result: plainResult(text) }
}
