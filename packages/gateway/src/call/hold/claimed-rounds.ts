// Rounds towards a server that carry an answer given in the inbox: each is sent once, and every retry gets its outcome.
//
// Owns: the rounds that this replica has claimed and runs, and outcomes that the store could not record yet.
// Does not own: what a round sends and where it leads (route/).
// I1  A round is claimed in the store before anything is sent to the server.
// I2  Its outcome is stored before it is returned.
// I3  From the claim to the stored outcome the round is in `#running` or in `#pending`. So a claim of this replica that
//     is in neither comes from a claim request that failed: nothing was sent under it, and the next retry uses it.
// I4  A claim is released only when the outcome shows that nothing was sent.
// I5  A claim of a dead replica is never taken over: its outcome is unknown.
// I6  A stored state is sealed: it contains answers that are sent to the server, and a row that was tampered with is
//     rejected.

import { type KeyRing, requestDigest, unseal } from '@assent/core'
import type { RoundKey, Store } from '@assent/store'
import type { Heartbeat } from '../../cluster/heartbeat.ts'
import { clusterLimits, relayLimits } from '../../limits.ts'
import { compoundKey } from '../../protocol/compound-key.ts'
import { errorCodes } from '../../protocol/messages.ts'
import { parseExactly } from '../../protocol/server-messages.ts'
import { sleep } from '../../protocol/sleep.ts'
import { within } from '../../protocol/within.ts'
import { type CallState, isRouted, type RelayState, readCallState, writeCallState } from '../call-state.ts'
import { failed, type Outcome, ranElsewhere, storable, tooMuchState } from '../model.ts'
import { longestWaitMs } from '../route/ask-deadline.ts'
import { isOutcome, isUnsent, outcomeUnknown, type RoundClaims, type RoundResult } from '../route/send-answers.ts'
import { sealState } from '../seal-state.ts'

/** How long a retry waits for the replica that runs its round. */
export interface ClaimTimeouts {
  readonly forMs: number
  readonly signal: AbortSignal
}

interface Pending {
  readonly name: RoundKey
  readonly text: string | undefined
}

const unreadable = failed(
  errorCodes.refused,
  'The stored state of this call cannot be read: it was changed, or its key is gone. Call the tool again.',
)
const tooLarge = ranElsewhere(
  errorCodes.refused,
  'The server has finished this call, and its result was too large to store for a retry. Nothing was run again.',
)

export class ClaimedRounds implements RoundClaims {
  readonly #store: Store
  readonly #heartbeat: Heartbeat
  readonly #keys: KeyRing
  readonly #settings: { readonly askWaitMs: number }
  readonly #onError: (error: unknown) => void
  readonly #running = new Map<string, Promise<RoundResult | undefined>>()
  /** Outcomes to store, and claims to release (undefined), when the store is available again. */
  readonly #pending = new Map<string, Pending>()
  /** Those of them that are being stored. */
  readonly #settling = new Map<string, Promise<void>>()

  constructor(
    store: Store,
    heartbeat: Heartbeat,
    keys: KeyRing,
    settings: { readonly askWaitMs: number },
    onError: (error: unknown) => void,
  ) {
    this.#store = store
    this.#heartbeat = heartbeat
    this.#keys = keys
    this.#settings = settings
    this.#onError = onError
    heartbeat.onBeat(() => this.#settleAll())
  }

  /** Number of rounds that this replica runs. */
  get size(): number {
    return this.#running.size
  }

  /** The result of a claimed round; `running` while its owner runs it, undefined without a claim. */
  async find(name: RoundKey): Promise<RoundResult | 'running' | undefined> {
    if (this.#running.has(keyOf(name))) return 'running'
    await this.#settle(keyOf(name))
    return this.#read(name)
  }

  /**
   * Sends a round, or returns its result when it was sent before.
   *
   * @param send runs once, in one process; what it returns is stored
   * @returns `running` when the owner has not finished within the caller's timeout
   */
  async run(
    name: RoundKey,
    timeouts: ClaimTimeouts,
    send: () => Promise<RoundResult>,
  ): Promise<RoundResult | 'running'> {
    const endsAt = performance.now() + timeouts.forMs
    for (;;) {
      const leftMs = Math.max(0, endsAt - performance.now())
      const joined = this.#running.get(keyOf(name))
      const result = await (joined === undefined ? this.#own(name, send) : withinTimeout(joined, leftMs, timeouts))
      if (result !== undefined) return result
      const elsewhere = await this.#elsewhere(name, endsAt, timeouts.signal)
      if (elsewhere !== undefined) return elsewhere
      // The claim was released: the next iteration claims it again, unless the time is up.
      if (performance.now() >= endsAt) return 'running'
      await sleep(relayLimits.claimedLookMs)
    }
  }

  /** Waits briefly for running rounds, then stores the outcomes that are still pending. */
  async close(): Promise<void> {
    const ending = Promise.allSettled(this.#running.values())
    await within(clusterLimits.abortGraceMs, ending)
    await this.#settleAll().catch(this.#onError)
  }

  #own(name: RoundKey, send: () => Promise<RoundResult>): Promise<RoundResult | undefined> {
    const key = keyOf(name)
    const running = this.#claimed(name, send).finally(() => this.#running.delete(key))
    this.#running.set(key, running)
    return running
  }

  /** Undefined when another replica has claimed the round. */
  async #claimed(name: RoundKey, send: () => Promise<RoundResult>): Promise<RoundResult | undefined> {
    await this.#settle(keyOf(name))
    await this.#heartbeat.ensure()
    const releaseLease = this.#heartbeat.hold()
    try {
      if (!(await this.#store.rounds.claim(name, this.#heartbeat.replica, this.#keepMs))) {
        const found = await this.#store.rounds.read(name)
        if (found?.kind === 'finished') return this.#readResult(name, found.outcome)
        if (found?.owner !== this.#heartbeat.replica) return undefined
      }
      return await this.#sent(name, send)
    } finally {
      releaseLease()
    }
  }

  async #sent(name: RoundKey, send: () => Promise<RoundResult>): Promise<RoundResult> {
    let result: RoundResult
    let text: string | undefined
    try {
      result = await send()
      text = isUnsent(result) ? undefined : this.#textOf(name, result)
    } catch (error) {
      // It may have been sent, and its outcome is unknown because of the error.
      await this.#keep(name, this.#textOf(name, outcomeUnknown)).catch(this.#onError)
      throw error
    }
    await this.#keep(name, text)
    return result
  }

  /** Stores an outcome, or releases the claim; retried later if the store is unavailable. */
  async #keep(name: RoundKey, text: string | undefined): Promise<void> {
    const key = keyOf(name)
    this.#pending.set(key, { name, text })
    await this.#settle(key)
  }

  async #settle(key: string): Promise<void> {
    // A beat may find an outcome that is being stored.
    await this.#settling.get(key)?.catch(() => undefined)
    const pending = this.#pending.get(key)
    if (pending === undefined) return
    const settling = this.#write(pending).finally(() => this.#settling.delete(key))
    this.#settling.set(key, settling)
    await settling
    if (this.#pending.get(key) === pending) this.#pending.delete(key)
  }

  async #write({ name, text }: Pending): Promise<void> {
    if (text === undefined) await this.#store.rounds.release(name, this.#heartbeat.replica)
    else await this.#store.rounds.finish(name, this.#heartbeat.replica, text)
  }

  async #settleAll(): Promise<void> {
    // This replica must keep its lease while any outcome is pending.
    if (this.#pending.size > 0) await this.#heartbeat.ensure()
    for (const key of [...this.#pending.keys()]) await this.#settle(key)
  }

  /** Waits for the outcome of a round that another replica runs. Undefined when the claim was released. */
  async #elsewhere(name: RoundKey, endsAt: number, signal: AbortSignal): Promise<RoundResult | 'running' | undefined> {
    let pauseMs = relayLimits.claimedLookMs
    for (;;) {
      const found = await this.#read(name)
      const leftMs = endsAt - performance.now()
      if (found !== 'running') return found
      if (leftMs <= 0 || signal.aborted) return 'running'
      await sleep(Math.min(pauseMs, leftMs), signal)
      pauseMs = Math.min(2 * pauseMs, relayLimits.claimedLookMostMs)
    }
  }

  async #read(name: RoundKey): Promise<RoundResult | 'running' | undefined> {
    const found = await this.#store.rounds.read(name)
    if (found === undefined) return undefined
    if (found.kind === 'finished') return this.#readResult(name, found.outcome)
    if (found.owner === this.#heartbeat.replica) return this.#running.has(keyOf(name)) ? 'running' : undefined
    // This replica has to be steady before it can declare the owner dead.
    this.#heartbeat.use()
    return found.isOwnerAlive || !this.#heartbeat.isSteady ? 'running' : outcomeUnknown
  }

  /** How long a state or a handle of the round can be valid. */
  get #keepMs(): number {
    return longestWaitMs(this.#settings) + relayLimits.deferredExtraMs
  }

  // The first character is the kind: `o` for an outcome, `p` for a sealed routing state.
  #textOf(name: RoundKey, result: RoundResult): string {
    if (!isOutcome(result)) return this.#sealed(name, result) ?? this.#textOf(name, tooMuchState)
    const text = JSON.stringify(storable(result))
    return `o${text.length > relayLimits.roundOutcomeChars ? JSON.stringify(tooLarge) : text}`
  }

  /** Undefined when the state exceeds the size limit: then the caller gets no state either. */
  #sealed(name: RoundKey, state: CallState): string | undefined {
    const binding = { ...bindingOf(name), ttlMs: this.#keepMs }
    const sealed = sealState({ keys: this.#keys, store: this.#store }, binding, writeCallState(state))
    return sealed === undefined ? undefined : `p${sealed}`
  }

  #readResult(name: RoundKey, text: string): RoundResult {
    if (!text.startsWith('p')) return parseExactly(text.slice(1)) as Outcome<RelayState>
    const opened = unseal(this.#keys, text.slice(1), { ...bindingOf(name), nowMs: this.#store.nowMs() })
    const state = opened.ok ? readCallState(opened.payload) : undefined
    return state !== undefined && isRouted(state) ? state : unreadable
  }
}

function keyOf({ tenant, id }: RoundKey): string {
  return compoundKey(tenant, id)
}

async function withinTimeout(
  running: Promise<RoundResult | undefined>,
  forMs: number,
  { signal }: ClaimTimeouts,
): Promise<RoundResult | 'running' | undefined> {
  const { promise, resolve } = Promise.withResolvers<'running'>()
  const timeOut = () => resolve('running')
  const timer = setTimeout(timeOut, forMs)
  signal.addEventListener('abort', timeOut, { once: true })
  try {
    return await Promise.race([running, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', timeOut)
  }
}

/** What the seal of a stored state is bound to. */
function bindingOf({ tenant, id, principal }: RoundKey) {
  return {
    principal,
    purpose: `claimed ${tenant}`,
    requestDigest: requestDigest({ method: 'claimed', target: id, arguments: {} }),
  }
}
