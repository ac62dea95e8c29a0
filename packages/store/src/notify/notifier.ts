// Wakes the waiters for an ask, whichever process changed it.
//
// Owns: this process's waiters, the slow poll, and when both run.
// I1  Each of three events notifies a waiter: this process changed the ask; another process sent a signal; the slow
//     poll found the ask among those that ended recently. So losing every signal only causes a delay.
// I2  A waiter for a whole tenant is notified of every change to any of its asks, and at every poll.

import type { Engine } from '../engine/engine.ts'
import { query } from '../engine/statement.ts'
import { findEndedSince } from './find-ended.ts'
import type { Signals } from './signals.ts'
import { type Waiter, Waiters } from './waiters.ts'

export interface NotifierOptions {
  readonly pollMs: number
  /** Receives errors of background work, where there is no caller to throw to. */
  readonly onError: (error: unknown) => void
}

// `ended_at` is set before the commit, so a reader must look back at least this far.
const commitDelayMs = 5_000
const pageEnds = 5_000

const readClock = query<Record<string, never>, { now: number }>('read_clock', 'select :now as now')

export class Notifier {
  readonly #engine: Engine
  readonly #signals: Signals
  readonly #options: NotifierOptions
  readonly #waiters = new Waiters()
  #poll: NodeJS.Timeout | undefined
  /** The time since the first waiter was opened. */
  #elapsedMs: () => number = () => 0
  #sinceMs: number | undefined
  #isPolling = false
  #late = 0

  constructor(engine: Engine, signals: Signals, options: NotifierOptions) {
    this.#engine = engine
    this.#signals = signals
    this.#options = options
  }

  /** To be called after the commit of every change to an ask in this process. */
  changed(tenant: string, id: string): void {
    const key = keyOf(tenant, id)
    this.#notify(key)
    this.#signals.publish(key)
  }

  waiterFor(tenant: string, id: string): Waiter {
    return this.#open([keyOf(tenant, id)])
  }

  waiterForTenants(...tenants: readonly string[]): Waiter {
    return this.#open(tenants.map((tenant) => keyOf(tenant, '')))
  }

  #open(keys: readonly string[]): Waiter {
    const isFirst = this.#waiters.size === 0
    const waiter = this.#waiters.open(keys, () => {
      if (this.#waiters.size === 0) this.#stop()
    })
    if (isFirst) this.#start()
    return waiter
  }

  /** Ends for which no signal arrived: the poll found them while there was still a waiter. */
  get late(): number {
    return this.#late
  }

  /** The number of keys with a waiter. */
  get waiting(): number {
    return this.#waiters.size
  }

  async close(): Promise<void> {
    this.#stop()
    await this.#signals.close()
  }

  /** Does not poll at once: a waiter reads its ask after this, and most waits are shorter than the poll interval. */
  #start(): void {
    this.#elapsedMs = stopwatch()
    this.#sinceMs = undefined
    this.#signals.start((key) => (key === undefined ? void this.#pollEnds() : void this.#notify(key)))
    this.#poll = setInterval(() => void this.#pollEnds(), this.#options.pollMs)
  }

  #stop(): void {
    clearInterval(this.#poll)
    this.#poll = undefined
    this.#signals.stop()
  }

  /** False if nothing waits for this one ask. */
  #notify(key: string): boolean {
    const isAwaited = this.#waiters.notify(key)
    this.#waiters.notify(tenantOf(key))
    return isAwaited
  }

  #notifyAllTenants(): void {
    for (const key of this.#waiters.keys) if (key.endsWith(' ')) this.#waiters.notify(key)
  }

  async #pollEnds(): Promise<void> {
    this.#notifyAllTenants()
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      if (this.#sinceMs === undefined) {
        const elapsedMs = this.#elapsedMs
        const [clock] = await this.#engine.run(readClock, {})
        this.#sinceMs = Math.floor((clock?.now ?? 0) - elapsedMs() - commitDelayMs)
      }
      await this.#notifyEndsSince(this.#sinceMs)
    } catch (error) {
      this.#options.onError(error)
    } finally {
      this.#isPolling = false
    }
  }

  async #notifyEndsSince(sinceMs: number): Promise<void> {
    let since = sinceMs
    for (;;) {
      const ends = await this.#engine.run(findEndedSince, { since, at_most: pageEnds })
      for (const { tenant, id } of ends) if (this.#notify(keyOf(tenant, id))) this.#late += 1
      const last = ends.at(-1)
      if (last === undefined) return
      this.#sinceMs = Math.max(sinceMs, last.now - commitDelayMs)
      // A full page with one timestamp cannot be paged through; the next poll reads it again.
      if (ends.length < pageEnds || last.ended_at === since) return
      since = last.ended_at
    }
  }
}

/** The larger of two clocks: the monotonic one stops while the machine sleeps, the wall clock may be set back. */
function stopwatch(): () => number {
  const [steadyAt, wallAt] = [performance.now(), Date.now()]
  return () => Math.max(performance.now() - steadyAt, Date.now() - wallAt)
}

/** The key of the whole tenant: an id never contains a space, a tenant's name may. */
function tenantOf(key: string): string {
  return key.slice(0, key.lastIndexOf(' ') + 1)
}

function keyOf(tenant: string, id: string): string {
  return `${tenant} ${id}`
}
