// Calls whose caller cannot wait as long as the person takes: put off, and gone on with when the caller comes back.
//
// What is needed to go on is kept, sealed, in the store, under the id of the ask that is waited for. Going on is claimed
// once; what came of it is kept before it is delivered, so a caller who lost the result fetches it again and runs nothing.

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
import { relayLimits } from '../limits.ts'
import { type Call, failed, type Outcome, unsent } from '../relay/exchange.ts'
import { type InPlace, lost, type Parking } from '../relay/parking.ts'
import { errorCodes, objectAt, stringAt } from '../wire/messages.ts'
import { parseExactly } from '../wire/server-messages.ts'
import { awaitTool, pendingResult, plainResult, unknownResult } from './await-answer.ts'
import { readPlace } from './place.ts'
import type { Below, Hold, Routing } from './routing.ts'

const purpose = 'deferred'
const tooLarge = failed(
  errorCodes.refused,
  'A person is still to answer, and this call is too large to be kept until then. Make it again with less.',
)
const taken = unsent(errorCodes.refused, 'Another request continues this call.')

export interface DeferralSettings {
  readonly askWaitMs: number
  /** Where a person finds the inbox, for the words that a caller is given. */
  readonly inboxUrl?: string | (() => string | undefined)
}

export class Deferral {
  readonly #store: Store
  readonly #keys: KeyRing
  readonly #routing: Routing
  readonly #parking: Parking
  readonly #settings: DeferralSettings
  readonly #onTrouble: (error: unknown) => void

  constructor(
    store: Store,
    keys: KeyRing,
    routing: Routing,
    parking: Parking,
    settings: DeferralSettings,
    onTrouble: (error: unknown) => void,
  ) {
    this.#store = store
    this.#keys = keys
    this.#routing = routing
    this.#parking = parking
    this.#settings = settings
    this.#onTrouble = onTrouble
  }

  /** Keeps a call that waits for the inbox alone, and says how to come back for it. What cannot be kept ends in words. */
  async putOff(call: Call, outcome: Outcome & { kind: 'needs-people' }, digest: string): Promise<Outcome> {
    const pending = await this.keep(call, outcome, digest)
    if (pending !== undefined) return pending
    // Nobody could come back for the answers.
    const asks = Object.values(readPlace(outcome.resume)?.inInbox ?? {})
    for (const ask of asks) {
      const ended = await this.#store.asks.withdraw(call.tenant, ask, 'caller-gone')
      if (ended.kind === 'ended' && ended.ask.state.kind === 'settled')
        await this.#store.asks.undelivered(call.tenant, ask, false)
    }
    return tooLarge
  }

  /** The same; undefined, with nothing changed, for a call that is too large to be kept. */
  async keep(call: Call, outcome: Outcome & { kind: 'needs-people' }, digest: string): Promise<Outcome | undefined> {
    const place = readPlace(outcome.resume)
    const [askId] = Object.values(place?.inInbox ?? {})
    if (place === undefined || askId === undefined) throw new Error('Only what waits for the inbox can be put off.')
    const { tenant, principal, method, params } = call
    const openMs = place.untilMs === undefined ? 0 : place.untilMs - this.#store.nowMs()
    const ttlMs = Math.ceil(Math.max(this.#settings.askWaitMs, openMs)) + relayLimits.deferredExtraMs
    const binding = { principal, purpose, requestDigest: digestOfHandle(askId), ttlMs }
    const payload = { method, params, digest, resume: outcome.resume }
    const state = this.#sealed(binding, payload)
    if (state === undefined) return undefined
    // First of all, because what is held for nobody would be held in vain.
    await this.#store.deferred.keep({ tenant, id: askId, principal, state, keepMs: ttlMs })
    await this.#parking.adopt(call, place, outcome.over, digest)
    await call.waiting?.handOutAsHandle(Object.values(place.inInbox))
    return this.#pending(call, askId)
  }

  /** Undefined when there is more than sealed state can hold. */
  #sealed(binding: Parameters<typeof seal>[1], payload: JsonValue): string | undefined {
    try {
      return seal(this.#keys, binding, payload, { nowMs: this.#store.nowMs(), random: randomBytes })
    } catch (error) {
      if (isAssentError(error, 'limit_exceeded')) return undefined
      throw error
    }
  }

  /** Answers a call of the tool that fetches what came of an earlier one. It can be made again at any time. */
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
    if (found === undefined) return says('Nothing of yours waits under that ask_id. It may have been too long ago.')
    if (found.kind === 'finished') return parseExactly(found.outcome) as Outcome
    if (found.kind === 'claimed') return this.#whileClaimed(call, askId)

    const earlier = this.#open(call, askId, found.state)
    if (earlier === undefined) return says('What is needed to go on with that call can no longer be read.')
    const running = this.#parking.inPlace(call)
    let unkept: Outcome | undefined
    try {
      const { outcome, isClaimed } = await this.#goOn({ ...call, ...earlier.call }, askId, earlier, hold, running)
      if (outcome === taken) return await this.#whileClaimed(call, askId)
      if (!isClaimed) return outcome.kind === 'needs-people' ? await this.#pending(call, askId) : outcome
      // It has run: if the store is away now, whoever comes again finds what came of it with the call that ran it.
      unkept = outcome
      await this.#store.deferred.finish(tenant, askId, JSON.stringify(outcome))
      unkept = undefined
      return outcome
    } finally {
      running.end(unkept)
    }
  }

  async #goOn(
    call: Call,
    askId: string,
    { resume, digest }: Earlier,
    hold: Hold,
    running: InPlace,
  ): Promise<{ outcome: Outcome; isClaimed: boolean }> {
    const below = this.#parking.below(digest)
    let isClaimed = false
    const claiming: Below = {
      start: below.start,
      refuse: below.refuse,
      continue: async (inner, place, given) => {
        // What another process holds can only be read here, which is safe to do any number of times.
        if (!isClaimed && this.#parking.canContinue(place)) {
          // On record first, so that whoever comes back hears of it when this process dies on the way.
          const callId = await this.#parking.recordOf(place, running)
          isClaimed = await this.#store.deferred.claim(call.tenant, askId, call.principal, callId)
          if (!isClaimed) return taken
        }
        return below.continue(inner, place, given)
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
        comesBack: true,
      },
    )
    const isPutOff = isClaimed && outcome.kind === 'needs-people'
    return { outcome: isPutOff ? await this.putOff(call, outcome, digest) : outcome, isClaimed }
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
      await new Promise((resolve) => setTimeout(resolve, relayLimits.claimedLookMs))
    }
    const since = new Date(sinceMs).toISOString()
    return says(
      `The person has answered, and the call went on at ${since}. It has not ended yet, or the process that ran it is gone; ` +
        `then nobody knows whether it did anything. Call ${awaitTool} again in a while, or look before you repeat the call.`,
    )
  }

  /** How a call ended that someone else went on with; undefined while they run it. */
  async #endOfClaimed(
    { tenant, principal }: Call,
    askId: string,
    callId: string | undefined,
  ): Promise<Outcome | undefined> {
    if (callId === undefined) return undefined
    const row = await this.#store.calls.read(tenant, callId, principal)
    if (row?.state.kind === 'running') return undefined
    // What came of it is kept before the call ends.
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
    // Its later questions go to the inbox too: this request is another one, and the client waits for its result.
    const client = { ...call.client, declared: {} }
    return { call: { method, params, client }, resume: payload.resume ?? null, digest }
  }

  async #pending(call: Call, askId: string): Promise<Outcome> {
    // Once it is put off its caller must hear so, whatever the store does: nobody else has the handle.
    const ask = await this.#store.asks.read(call.tenant, askId).catch(this.#onTrouble)
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

function says(text: string): Outcome {
  return { kind: 'finished', result: plainResult(text) }
}
