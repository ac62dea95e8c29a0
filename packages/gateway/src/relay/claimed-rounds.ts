// Rounds towards a server that carry an answer given in the inbox: each is sent once, and every retry gets its outcome.
//
// Owns: the rounds that this replica has claimed and runs, and outcomes that the store could not take yet.
// Does not own: what a round sends and where it leads (surfaces/routing.ts).
// I1  A round is claimed in the store before anything is sent to the server.
// I2  Its outcome is stored before it is returned.
// I3  From the claim to the stored outcome the round is in `#running` or in `#owed`. So a claim of this replica that is in
//     neither was left by a claim whose end was unclear: nothing was sent under it, and the next retry goes on with it.
// I4  A claim is given back only when the outcome says that nothing was sent.
// I5  A claim of a dead replica is never taken over: its outcome is unknown.
// I6  A stored place is sealed: it holds answers that are sent to the server, and a row that somebody changed sends nothing.

import { isAssentError, type KeyRing, requestDigest, seal, unseal } from '@assent/core'
import type { RoundName, Store } from '@assent/store'
import type { Heartbeat } from '../fleet/heartbeat.ts'
import { fleetLimits, relayLimits } from '../limits.ts'
import { longestWaitMs } from '../surfaces/ask-deadline.ts'
import { type Place, readPlace, writePlace } from '../surfaces/place.ts'
import { errorCodes } from '../wire/messages.ts'
import { randomBytes } from '../wire/random.ts'
import { parseExactly } from '../wire/server-messages.ts'
import { failed, type Outcome, tooMuchState } from './exchange.ts'

/** Where a round has led: to the end of the call, or to further questions. */
export type Standing = Place | Outcome

/** How long a retry waits for the replica that runs its round. */
export interface Patience {
  readonly forMs: number
  readonly signal: AbortSignal
}

export const outcomeUnknown: Outcome = failed(
  errorCodes.refused,
  'The gateway process that ran this call stopped before it stored the outcome. Whether the call did anything is not known: check before calling it again.',
)
const unreadable: Outcome = failed(
  errorCodes.refused,
  'The stored state of this call cannot be read: it was changed, or its key is gone. Call the tool again.',
)
const tooLarge: Outcome = failed(
  errorCodes.refused,
  'The server has finished this call, and its result was too large to store for a retry. Nothing was run again.',
)

export class ClaimedRounds {
  readonly #store: Store
  readonly #heartbeat: Heartbeat
  readonly #keys: KeyRing
  readonly #settings: { readonly askWaitMs: number }
  readonly #onTrouble: (error: unknown) => void
  readonly #running = new Map<string, Promise<Standing | undefined>>()
  /** Outcomes to store, and claims to give back (undefined), as soon as the store answers again. */
  readonly #owed = new Map<string, { readonly name: RoundName; readonly text: string | undefined }>()

  constructor(
    store: Store,
    heartbeat: Heartbeat,
    keys: KeyRing,
    settings: { readonly askWaitMs: number },
    onTrouble: (error: unknown) => void,
  ) {
    this.#store = store
    this.#heartbeat = heartbeat
    this.#keys = keys
    this.#settings = settings
    this.#onTrouble = onTrouble
    heartbeat.onBeat(() => this.#settleAll())
  }

  /** Rounds that this replica runs. */
  get size(): number {
    return this.#running.size
  }

  /** Where a round has led that somebody has claimed; `running` while its owner runs it, undefined without a claim. */
  async find(name: RoundName): Promise<Standing | 'running' | undefined> {
    if (this.#running.has(keyOf(name))) return 'running'
    await this.#settle(keyOf(name))
    return this.#read(name)
  }

  /**
   * Sends a round, or returns where it led when it was sent before.
   *
   * @param send runs once, in one process; what it returns is stored
   * @returns `running` when the owner has not finished within the caller's patience
   */
  async run(name: RoundName, patience: Patience, send: () => Promise<Standing>): Promise<Standing | 'running'> {
    const endsAt = performance.now() + patience.forMs
    for (;;) {
      const leftMs = Math.max(0, endsAt - performance.now())
      const joined = this.#running.get(keyOf(name))
      const standing = await (joined === undefined ? this.#own(name, send) : withinPatience(joined, leftMs, patience))
      if (standing !== undefined) return standing
      const elsewhere = await this.#elsewhere(name, endsAt, patience.signal)
      if (elsewhere !== undefined) return elsewhere
      // The claim was given back: the next turn claims it again, unless the time is up.
      if (performance.now() >= endsAt) return 'running'
      await new Promise((resolve) => setTimeout(resolve, relayLimits.claimedLookMs))
    }
  }

  /** Gives what still runs a moment to end, and stores what the store could not take before. */
  async close(): Promise<void> {
    const ending = Promise.allSettled(this.#running.values())
    await Promise.race([ending, new Promise((resolve) => setTimeout(resolve, fleetLimits.lastWordsMs).unref())])
    await this.#settleAll().catch(this.#onTrouble)
  }

  #own(name: RoundName, send: () => Promise<Standing>): Promise<Standing | undefined> {
    const key = keyOf(name)
    const running = this.#claimed(name, send).finally(() => this.#running.delete(key))
    this.#running.set(key, running)
    return running
  }

  /** Undefined when another replica has claimed the round. */
  async #claimed(name: RoundName, send: () => Promise<Standing>): Promise<Standing | undefined> {
    await this.#settle(keyOf(name))
    await this.#heartbeat.ensure()
    const letGo = this.#heartbeat.hold()
    try {
      if (!(await this.#store.rounds.claim(name, this.#heartbeat.replica, this.#keepMs))) {
        const found = await this.#store.rounds.read(name)
        if (found?.kind === 'finished') return this.#standingIn(name, found.outcome)
        if (found?.owner !== this.#heartbeat.replica) return undefined
      }
      return await this.#sent(name, send)
    } finally {
      letGo()
    }
  }

  async #sent(name: RoundName, send: () => Promise<Standing>): Promise<Standing> {
    let standing: Standing
    let text: string | undefined
    try {
      standing = await send()
      text = isUnsent(standing) ? undefined : this.#textOf(name, standing)
    } catch (error) {
      // It may have been sent, and where it led is lost with the error.
      await this.#keep(name, this.#textOf(name, outcomeUnknown)).catch(this.#onTrouble)
      throw error
    }
    await this.#keep(name, text)
    return standing
  }

  /** Stores an outcome, or gives the claim back. What the store cannot take now it gets later. */
  async #keep(name: RoundName, text: string | undefined): Promise<void> {
    const key = keyOf(name)
    this.#owed.set(key, { name, text })
    await this.#settle(key)
  }

  async #settle(key: string): Promise<void> {
    const owed = this.#owed.get(key)
    if (owed === undefined) return
    const { name, text } = owed
    if (text === undefined) await this.#store.rounds.release(name, this.#heartbeat.replica)
    else await this.#store.rounds.finish(name, this.#heartbeat.replica, text)
    this.#owed.delete(key)
  }

  async #settleAll(): Promise<void> {
    // As long as anything is owed this replica must count as alive.
    if (this.#owed.size > 0) await this.#heartbeat.ensure()
    for (const key of [...this.#owed.keys()]) await this.#settle(key)
  }

  /** Waits for the outcome of a round that another replica runs. Undefined when the claim was given back. */
  async #elsewhere(name: RoundName, endsAt: number, signal: AbortSignal): Promise<Standing | 'running' | undefined> {
    let pauseMs = relayLimits.claimedLookMs
    for (;;) {
      const found = await this.#read(name)
      const leftMs = endsAt - performance.now()
      if (found !== 'running') return found
      if (leftMs <= 0 || signal.aborted) return 'running'
      await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, leftMs)))
      pauseMs = Math.min(2 * pauseMs, relayLimits.claimedLookMostMs)
    }
  }

  async #read(name: RoundName): Promise<Standing | 'running' | undefined> {
    const found = await this.#store.rounds.read(name)
    if (found === undefined) return undefined
    if (found.kind === 'finished') return this.#standingIn(name, found.outcome)
    if (found.owner === this.#heartbeat.replica) return this.#running.has(keyOf(name)) ? 'running' : undefined
    return found.isOwnerAlive || !this.#heartbeat.isSteady ? 'running' : outcomeUnknown
  }

  /** As long as a state or a handle of the round can be valid. */
  get #keepMs(): number {
    return longestWaitMs(this.#settings) + relayLimits.deferredExtraMs
  }

  // The first letter says which of the two it is.
  #textOf(name: RoundName, standing: Standing): string {
    if (!('kind' in standing)) return this.#sealed(name, standing) ?? this.#textOf(name, tooMuchState)
    const { isStreamed: _streamed, ...outcome } = standing
    const text = JSON.stringify(outcome)
    return `o${text.length > relayLimits.roundOutcomeChars ? JSON.stringify(tooLarge) : text}`
  }

  /** Undefined for more than a state can hold: then the caller gets no state either. */
  #sealed(name: RoundName, place: Place): string | undefined {
    const binding = { ...bindingOf(name), ttlMs: this.#keepMs }
    try {
      return `p${seal(this.#keys, binding, writePlace(place), { nowMs: this.#store.nowMs(), random: randomBytes })}`
    } catch (error) {
      if (isAssentError(error, 'limit_exceeded')) return undefined
      throw error
    }
  }

  #standingIn(name: RoundName, text: string): Standing {
    if (!text.startsWith('p')) return parseExactly(text.slice(1)) as Outcome
    const opened = unseal(this.#keys, text.slice(1), { ...bindingOf(name), nowMs: this.#store.nowMs() })
    return (opened.ok ? readPlace(opened.payload) : undefined) ?? unreadable
  }
}

function keyOf({ tenant, id }: RoundName): string {
  return `${tenant}\n${id}`
}

function isUnsent(standing: Standing): boolean {
  return 'kind' in standing && standing.kind === 'failed' && standing.isUnsent === true
}

async function withinPatience(
  running: Promise<Standing | undefined>,
  forMs: number,
  { signal }: Patience,
): Promise<Standing | 'running' | undefined> {
  const { promise, resolve } = Promise.withResolvers<'running'>()
  const giveUp = () => resolve('running')
  const timer = setTimeout(giveUp, forMs)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([running, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
  }
}

/** What the seal of a stored place is bound to. */
function bindingOf({ tenant, id, principal }: RoundName) {
  return {
    principal,
    purpose: `claimed ${tenant}`,
    requestDigest: requestDigest({ method: 'claimed', target: id, arguments: {} }),
  }
}
