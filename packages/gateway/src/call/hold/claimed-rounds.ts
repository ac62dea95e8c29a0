// Rounds towards a server that carry an answer given in the inbox: each is sent once, and every retry gets its outcome.
//
// Owns: the rounds that this replica has claimed and runs, and outcomes that the store could not record yet.
// Does not own: what a round sends and where it leads (route/).
// I1  A round is claimed in the store before anything is sent to the server.
// I2  Its outcome is stored before it is returned.
// I3  From the claim to the stored outcome the round is in `#running`, or its outcome is in `#pending`. So any other claim
//     of this replica is one under which nothing was sent, and the next retry uses it.
// I4  A claim is released only when nothing was sent under it: the outcome shows this, or the claim request failed. A
//     request that failed may still arrive at the store. So a claim is released again when it cannot arrive any more,
//     and until a failed release cannot arrive any more, this replica sends nothing under a claim of that round.
// I5  A claim of a dead replica is never taken over: its outcome is unknown.
// I6  A stored state is sealed: it contains answers that are sent to the server, and a row that was tampered with is
//     rejected.

import { compact, type JsonObject, type KeyRing, requestDigest, unseal } from '@assent/core'
import type { RoundKey, RoundState, Store } from '@assent/store'
import type { Heartbeat } from '../../cluster/heartbeat.ts'
import { clusterLimits, relayLimits } from '../../limits.ts'
import { compoundKey } from '../../protocol/compound-key.ts'
import { errorCodes } from '../../protocol/messages.ts'
import { parseExactly } from '../../protocol/server-messages.ts'
import { sleep } from '../../protocol/sleep.ts'
import { tryEach } from '../../protocol/try-each.ts'
import { within } from '../../protocol/within.ts'
import { isRouted, type RelayState, readCallState, writeCallState } from '../call-state.ts'
import { type Ended, failed, type Outcome, ranElsewhere, storable } from '../model.ts'
import { longestWaitMs } from '../route/ask-deadline.ts'
import {
  type ClaimTimeouts,
  isOutcome,
  isUnsent,
  outcomeUnknown,
  type RoundClaims,
  type RoundResult,
} from '../route/send-answers.ts'
import { sealState, tooMuchState } from '../seal-state.ts'
import { outcomeText } from '../text/outcomes.ts'

interface Pending {
  readonly name: RoundKey
  /** The outcome to store; undefined to release the claim. */
  readonly text: string | undefined
  /** When to write it, and until when a failed request may still arrive: then a claim is released once more. */
  readonly nextMs: number
  readonly untilMs: number
  /** Until when a failed release may still arrive. */
  readonly blockedUntilMs: number
}

const longAgo = Number.NEGATIVE_INFINITY
/** A longer timer of Node fires at once. */
const longestTimerMs = 2 ** 31 - 1

const unreadable = failed(errorCodes.refused, outcomeText.unreadable)
const tooLarge = ranElsewhere(errorCodes.refused, outcomeText.resultTooLarge)

export class ClaimedRounds implements RoundClaims {
  readonly #store: Store
  readonly #heartbeat: Heartbeat
  readonly #keys: KeyRing
  readonly #settings: { readonly askWaitMs: number }
  readonly #onError: (error: unknown) => void
  readonly #running = new Map<string, Promise<RoundResult | undefined>>()
  /** Outcomes to store, and claims to release. */
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

  /** The result of a claimed round; `running` if its owner has not finished in time, undefined without a claim. */
  async find(name: RoundKey, timeouts: ClaimTimeouts): Promise<RoundResult | 'running' | undefined> {
    const endsAt = performance.now() + timeouts.forMs
    const joined = this.#running.get(keyOf(name))
    const result = joined === undefined ? undefined : await withinTimeout(joined, timeouts.forMs, timeouts)
    if (result !== undefined) return result
    await this.#settle(keyOf(name))
    return this.#elsewhere(name, endsAt, timeouts.signal)
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
      if (performance.now() >= endsAt || timeouts.signal.aborted) return 'running'
      await sleep(relayLimits.claimedLookMs, timeouts.signal)
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

  /** Undefined when another replica has claimed the round, or a release of this one may still arrive. */
  async #claimed(name: RoundKey, send: () => Promise<RoundResult>): Promise<RoundResult | undefined> {
    const key = keyOf(name)
    await this.#settle(key)
    await this.#heartbeat.ensure()
    if (performance.now() < (this.#pending.get(key)?.blockedUntilMs ?? longAgo)) return undefined
    const releaseLease = this.#heartbeat.hold()
    try {
      const found = await this.#claim(name)
      if (found?.kind === 'finished') return this.#readResult(name, found.outcome)
      if (found?.owner !== this.#heartbeat.replica) return undefined
      return await this.#sent(name, send)
    } finally {
      releaseLease()
    }
  }

  /** Claims the round, or returns who has. If the store fails, a claim that it may have stored is released. */
  async #claim(name: RoundKey): Promise<RoundState | undefined> {
    const owner = this.#heartbeat.replica
    try {
      const isClaimed = await this.#store.rounds.claim(name, owner, this.#keepMs)
      return isClaimed ? { kind: 'claimed', owner, isOwnerAlive: true } : await this.#store.rounds.read(name)
    } catch (error) {
      const untilMs = performance.now() + relayLimits.recordSettlesMs
      this.#pending.set(keyOf(name), { name, text: undefined, nextMs: longAgo, untilMs, blockedUntilMs: longAgo })
      throw error
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
    // An earlier claim request that failed may arrive after this release.
    const untilMs = text === undefined ? (this.#pending.get(key)?.untilMs ?? longAgo) : longAgo
    this.#pending.set(key, { name, text, nextMs: longAgo, untilMs, blockedUntilMs: longAgo })
    await this.#settle(key, () => true)
  }

  /**
   * Stores the pending outcome of a round, if there is one.
   *
   * @param mayRelease whether to release its claim if that is pending: not while a request may send the round
   */
  async #settle(key: string, mayRelease = () => false): Promise<void> {
    // One write at a time: a release must not arrive after a later claim of this replica.
    for (let earlier = this.#settling.get(key); earlier !== undefined; earlier = this.#settling.get(key))
      await earlier.catch(() => undefined)
    const pending = this.#pending.get(key)
    if (pending === undefined || performance.now() < pending.nextMs) return
    if (pending.text === undefined && !mayRelease()) return
    const settling = this.#write(key, pending).finally(() => this.#settling.delete(key))
    this.#settling.set(key, settling)
    await settling
  }

  async #write(key: string, pending: Pending): Promise<void> {
    const { name, text, nextMs, untilMs } = pending
    const owner = this.#heartbeat.replica
    if (text === undefined) {
      await this.#store.rounds.release(name, owner).catch((error: unknown) => {
        const lateMs = performance.now() + relayLimits.recordSettlesMs
        this.#pending.set(key, { ...pending, untilMs: lateMs, blockedUntilMs: lateMs })
        throw error
      })
    } else await this.#store.rounds.finish(name, owner, text)
    if (this.#pending.get(key) !== pending) return
    if (nextMs >= untilMs) this.#pending.delete(key)
    else this.#pending.set(key, { ...pending, nextMs: untilMs })
  }

  /** Tries every entry: one that fails does not hold up the others. */
  async #settleAll(): Promise<void> {
    // This replica must keep its lease while anything is pending.
    if (this.#pending.size > 0) await this.#heartbeat.ensure()
    await tryEach([...this.#pending.keys()], (key) => this.#settle(key, () => !this.#running.has(key)))
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

  // The first character is the kind: `o` for the end of a call, `p` for a sealed routing state, `n` for sealed questions of
  // which none needs routing.
  #textOf(name: RoundKey, result: RoundResult): string {
    if (!isOutcome(result)) return this.#sealed(name, 'p', writeCallState(result)) ?? this.#textOf(name, tooMuchState)
    if (result.kind === 'input-required')
      return this.#sealed(name, 'n', { ...storable(result) } as JsonObject) ?? this.#textOf(name, tooMuchState)
    const text = JSON.stringify(storable(result))
    if (text.length <= relayLimits.roundOutcomeChars) return `o${text}`
    return `o${JSON.stringify({ ...tooLarge, ...compact({ recorded: result.recorded }) })}`
  }

  /** Undefined when the state exceeds the size limit: then the caller gets no state either. */
  #sealed(name: RoundKey, kind: 'p' | 'n', payload: JsonObject): string | undefined {
    const binding = { ...bindingOf(name, kind), ttlMs: this.#keepMs }
    const sealed = sealState({ keys: this.#keys, store: this.#store }, binding, payload)
    return sealed === undefined ? undefined : `${kind}${sealed}`
  }

  #readResult(name: RoundKey, text: string): RoundResult {
    const [kind] = text
    if (kind !== 'p' && kind !== 'n') return ended(parseExactly(text.slice(1)) as Outcome<RelayState>)
    const opened = unseal(this.#keys, text.slice(1), { ...bindingOf(name, kind), nowMs: this.#store.nowMs() })
    if (!opened.ok) return unreadable
    if (kind === 'n') return opened.payload as Outcome<RelayState> & JsonObject
    const state = readCallState(opened.payload)
    return state !== undefined && isRouted(state) ? state : unreadable
  }
}

/** Questions are stored sealed only. */
function ended(outcome: Outcome<RelayState>): Ended {
  return outcome.kind === 'input-required' ? unreadable : outcome
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
  const timer = setTimeout(timeOut, Math.min(forMs, longestTimerMs))
  signal.addEventListener('abort', timeOut, { once: true })
  try {
    return await Promise.race([running, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', timeOut)
  }
}

/** What the seal of a stored state is bound to. */
function bindingOf({ tenant, id, principal }: RoundKey, kind: 'p' | 'n') {
  return {
    principal,
    purpose: kind === 'p' ? `claimed ${tenant}` : `claimed questions ${tenant}`,
    requestDigest: requestDigest({ method: 'claimed', target: id, arguments: {} }),
  }
}
