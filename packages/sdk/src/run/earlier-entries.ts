// What earlier rounds of a call asked and ran, and what of it the handler has reached again in this round.
//
// Owns: the entries that were not reached yet, and everything that waits for them.
// I1  Nothing new starts before everything of earlier rounds was reached again. Earlier rounds reached it without
//     anything new, so a handler that repeats itself gets there. One that makes no progress for a while is stopped.
// I2  A result is delivered only after everything that was reached before the round in which it was first delivered. So
//     a fast branch cannot end the handler before a slow one has reached its asks.
// I3  A handler that has not got there at the time limit, while something waits for it, has diverged.

import type { Journal } from '../journal/journal.ts'

export type EntryKey = `ask ${number}` | `step ${string}`

export interface EarlierEntry {
  readonly kind: 'ask' | 'step'
  readonly label: string
}

interface Waiter {
  readonly round: number
  readonly wanted: EarlierEntry | undefined
  readonly resolve: () => void
}

export class EarlierEntries {
  readonly #unreached = new Map<EntryKey, EarlierEntry & { readonly round: number }>()
  readonly #limitMs: number
  readonly #onStalled: (missing: EarlierEntry, wanted: EarlierEntry | undefined) => void
  #waiters: Waiter[] = []
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(
    { asks, steps }: Pick<Journal, 'asks' | 'steps'>,
    limitMs: number,
    onStalled: (missing: EarlierEntry, wanted: EarlierEntry | undefined) => void,
  ) {
    this.#limitMs = limitMs
    this.#onStalled = onStalled
    asks.forEach(({ label, round }, place) => {
      this.#unreached.set(`ask ${place}`, { kind: 'ask', label, round })
    })
    for (const [name, { round }] of steps) this.#unreached.set(`step ${name}`, { kind: 'step', label: name, round })
  }

  /** The first entry that was not reached again. */
  get missing(): EarlierEntry | undefined {
    const [first] = this.#unreached.values()
    return first
  }

  reach(key: EntryKey): void {
    if (!this.#unreached.delete(key) || this.#waiters.length === 0) return
    const left: Waiter[] = []
    for (const waiter of this.#waiters) {
      if (this.#isReached(waiter.round)) waiter.resolve()
      else left.push(waiter)
    }
    this.#waiters = left
    this.#restartTimer()
  }

  /** Resolves when everything of the rounds before this one was reached; undefined if it was already. */
  before(round: number, wanted?: EarlierEntry): Promise<void> | undefined {
    if (this.#isReached(round)) return undefined
    // Work of the round may finish after its end.
    if (this.#isStopped) return new Promise(() => undefined)
    return new Promise((resolve) => {
      this.#waiters.push({ round, wanted, resolve })
      if (this.#timer === undefined) this.#restartTimer()
    })
  }

  /** The round is over: nothing waits any more. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiters = []
  }

  #isReached(round: number): boolean {
    for (const entry of this.#unreached.values()) if (entry.round < round) return false
    return true
  }

  #restartTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = this.#waiters.length === 0 ? undefined : setTimeout(() => this.#stalled(), this.#limitMs)
  }

  #stalled(): void {
    const wanted = this.#waiters.find((waiter) => waiter.wanted !== undefined)?.wanted
    // What the new one most likely replaces.
    const missing = [...this.#unreached.values()].find(({ kind }) => kind === wanted?.kind) ?? this.missing
    this.stop()
    // The timer runs only while something is missing.
    this.#onStalled(missing as EarlierEntry, wanted)
  }
}
