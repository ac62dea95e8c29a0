// The lease of this replica, for everything in the store that names it as its owner.
//
// Owns: this replica's row in `replicas`, the timer that renews it, and how long the store has answered without a gap.
// I1  A row names this replica only after `ensure`, and a hold lasts until no row names it any more.
// I2  The lease is renewed only while it is in use, so an idle process writes nothing.
// I3  Another replica is declared dead only by a replica that is steady: its own beats succeeded for a whole lease, so
//     after an outage of the store, or a sleep of this machine, every living replica has had the time to renew first.

import type { Store } from '@assent/store'
import { relayLimits } from '../limits.ts'

/** With every beat, withdraws the asks of dead replicas' calls and requests. */
export function sweepDeadReplicas(
  heartbeat: Heartbeat,
  store: Store,
  onLost: (calls: number) => void = () => undefined,
): void {
  heartbeat.onBeat(async () => {
    // The store is queried in any case, because a failed query has to count as a gap.
    if (!heartbeat.isSteady) return void (await store.replicas.isAlive(heartbeat.replica))
    const lost = await store.abandonLostCalls()
    if (lost.length > 0) onLost(lost.length)
    await store.asks.withdrawOfDeadReplicas()
  })
}

export class Heartbeat {
  readonly replica: string
  readonly #store: Store
  readonly #onError: (error: unknown) => void
  readonly #tasks: (() => Promise<void>)[] = []
  readonly #timer: NodeJS.Timeout
  #holders = 0
  #usedAtMs = Number.NEGATIVE_INFINITY
  #renewedAtMs = Number.NEGATIVE_INFINITY
  #renewing: Promise<void> | undefined
  #beatAtMs: number
  #steadySinceMs: number | undefined
  #isBeating = false

  constructor(store: Store, replica: string, onError: (error: unknown) => void) {
    this.#store = store
    this.replica = replica
    this.#onError = onError
    this.#beatAtMs = store.nowMs()
    this.#steadySinceMs = this.#beatAtMs
    this.#timer = setInterval(() => void this.#beat(), relayLimits.renewEveryMs)
    this.#timer.unref()
  }

  /** Whether this replica may declare another one dead. */
  get isSteady(): boolean {
    return this.#steadySinceMs !== undefined && this.#store.nowMs() - this.#steadySinceMs >= relayLimits.leaseMs
  }

  /** Runs with every beat; a task that throws is reported and counts as a gap. */
  onBeat(task: () => Promise<void>): void {
    this.#tasks.push(task)
  }

  /** Resolves when this replica's lease is valid. */
  async ensure(): Promise<void> {
    this.#usedAtMs = performance.now()
    if (performance.now() - this.#renewedAtMs < relayLimits.renewEveryMs) return
    await this.#renew()
  }

  /** Renews the lease until the returned function is called. */
  hold(): () => void {
    this.#holders += 1
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#holders -= 1
      this.#usedAtMs = performance.now()
    }
  }

  /** Ends the lease: from now on this replica counts as dead. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    if (this.#renewedAtMs !== Number.NEGATIVE_INFINITY) await this.#store.replicas.end(this.replica)
  }

  async #beat(): Promise<void> {
    if (this.#isBeating) return
    this.#isBeating = true
    // By the store's clock, which on one machine advances while the machine sleeps.
    const nowMs = this.#store.nowMs()
    if (nowMs - this.#beatAtMs >= relayLimits.leaseMs) this.#steadySinceMs = undefined
    this.#beatAtMs = nowMs
    try {
      if (this.#isUsed) await this.#renew()
      for (const task of this.#tasks) await task()
      this.#steadySinceMs ??= nowMs
    } catch (error) {
      this.#steadySinceMs = undefined
      this.#onError(error)
    } finally {
      this.#isBeating = false
    }
  }

  /** True for a while after the last use: a write that timed out may still arrive at the store. */
  get #isUsed(): boolean {
    return this.#holders > 0 || performance.now() - this.#usedAtMs < relayLimits.recordSettlesMs
  }

  #renew(): Promise<void> {
    const startedAtMs = performance.now()
    this.#renewing ??= this.#store.replicas
      .renew(this.replica, relayLimits.leaseMs)
      .then(() => {
        // Count from when the request was sent: the lease may have started then.
        this.#renewedAtMs = startedAtMs
      })
      .finally(() => {
        this.#renewing = undefined
      })
    return this.#renewing
  }
}
