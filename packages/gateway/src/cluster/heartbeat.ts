// The lease of this replica, for everything in the store that names it as its owner.
//
// Owns: this replica's row in `replicas`, the timer that renews it, and since when the renewals succeeded without a gap.
// I1  A row names this replica only after `ensure`, and the lease stays in use until no row names it any more.
// I2  The lease is renewed only while it is in use, so a process writes nothing while no replica owns anything.
// I3  Another replica is declared dead only by a replica that is steady: its own renewals succeeded for a whole lease, so
//     after an outage of the store, or a sleep of this machine, every live replica has had the time to renew first. Only
//     writes count: while the store waits for a standby, it still answers reads.
// I4  After its own lease has ended, this replica first drops what others ended meanwhile; then `ensure` resolves.

import type { Store } from '@assent/store'
import { relayLimits } from '../limits.ts'

/** With every beat, ends the calls of dead replicas and withdraws their asks. */
export function sweepDeadReplicas(
  heartbeat: Heartbeat,
  store: Store,
  onLost: (calls: number) => void = () => undefined,
): void {
  heartbeat.onBeat(async () => {
    const others = (await store.replicas.owners()).filter(({ id }) => id !== heartbeat.replica)
    if (others.length === 0) return
    // This replica has to be steady by the time one of them may die.
    await heartbeat.ensure()
    if (!heartbeat.isSteady || others.every(({ isAlive }) => isAlive)) return
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
  readonly #lapseTasks: (() => Promise<void>)[] = []
  readonly #timer: NodeJS.Timeout
  #holders = 0
  #address: string | undefined
  #usedAtMs = Number.NEGATIVE_INFINITY
  #renewedAtMs = Number.NEGATIVE_INFINITY
  #renewing: Promise<void> | undefined
  /** Whether the lease has ended since the lapse tasks last ran. */
  #hasLapsed = false
  #beatAtMs: number
  #steadySinceMs: number | undefined
  #isBeating = false
  #isClosed = false

  constructor(store: Store, replica: string, onError: (error: unknown) => void) {
    this.#store = store
    this.replica = replica
    this.#onError = onError
    this.#beatAtMs = store.nowMs()
    this.#timer = setInterval(() => void this.#beat(), relayLimits.renewEveryMs)
    this.#timer.unref()
  }

  /** Whether this replica may declare another one dead. */
  get isSteady(): boolean {
    const { leaseMs, renewEveryMs } = relayLimits
    // A renewal that hangs has not failed yet. By then the leases of other replicas, which may hang too, are still valid.
    if (performance.now() - this.#renewedAtMs >= Math.max(leaseMs - renewEveryMs, renewEveryMs)) return false
    const nowMs = this.#store.nowMs()
    return this.#steadySinceMs !== undefined && nowMs - this.#steadySinceMs >= leaseMs && !this.#isGap(nowMs)
  }

  /** Runs with every beat; a task that throws is reported and counts as a gap. */
  onBeat(task: () => Promise<void>): void {
    this.#tasks.push(task)
  }

  /**
   * Runs when the lease was renewed after it had ended, before `ensure` resolves. The task must not call `ensure`. If it
   * throws, it runs again with the next renewal.
   */
  onLapse(task: () => Promise<void>): void {
    this.#lapseTasks.push(task)
  }

  /** Resolves when this replica's lease is valid. */
  async ensure(): Promise<void> {
    this.use()
    if (performance.now() - this.#renewedAtMs < relayLimits.renewEveryMs) return
    await this.#renew()
  }

  /** Renews the lease for a while, without waiting for it. */
  use(): void {
    this.#usedAtMs = performance.now()
  }

  /** Renews the lease until the returned function is called. */
  hold(): () => void {
    this.#holders += 1
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#holders -= 1
      this.use()
    }
  }

  /** Lists this process as a gateway until it is closed. `address` is where other replicas reach it; empty if nowhere. */
  async announce(address: string): Promise<void> {
    this.#address = address
    this.hold()
    // A renewal that has begun does not include the address.
    await this.#renewing?.catch(() => undefined)
    await this.#renew()
  }

  /** Ends the lease: from now on this replica counts as dead. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#isClosed = true
    // A renewal in progress would list this replica again.
    await this.#renewing?.catch(() => undefined)
    if (this.#renewedAtMs !== Number.NEGATIVE_INFINITY) await this.#store.replicas.end(this.replica)
  }

  async #beat(): Promise<void> {
    // By the store's clock, which on one machine advances while the machine sleeps.
    const nowMs = this.#store.nowMs()
    if (this.#isGap(nowMs)) this.#steadySinceMs = undefined
    this.#beatAtMs = nowMs
    try {
      // Not delayed by tasks of an earlier beat that are still running.
      if (this.#isUsed) await this.#renew()
      else this.#steadySinceMs = undefined
      if (!this.#isBeating) await this.#runTasks()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** A part of this beat failed: steadiness begins anew. */
  #failed(error: unknown): void {
    this.#steadySinceMs = undefined
    this.#onError(error)
  }

  async #runTasks(): Promise<void> {
    this.#isBeating = true
    try {
      // A task that fails does not hold up the others. The gap counts for those after it, such as the sweep.
      for (const task of this.#tasks) await task().catch((error: unknown) => this.#failed(error))
    } finally {
      this.#isBeating = false
    }
  }

  /** Whether the last beat was so long ago that the lease may have ended. */
  #isGap(nowMs: number): boolean {
    return nowMs - this.#beatAtMs >= relayLimits.leaseMs
  }

  /** True for a while after the last use: a write that timed out may still arrive at the store. */
  get #isUsed(): boolean {
    return this.#holders > 0 || performance.now() - this.#usedAtMs < relayLimits.recordSettlesMs
  }

  #renew(): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('This gateway has stopped.'))
    this.#renewing ??= this.#renewed()
      .catch((error: unknown) => {
        this.#steadySinceMs = undefined
        throw error
      })
      .finally(() => {
        this.#renewing = undefined
      })
    return this.#renewing
  }

  async #renewed(): Promise<void> {
    // Count from when the request was sent: the lease may have started then.
    const startedAtMs = performance.now()
    const sinceMs = this.#store.nowMs()
    const wasValid = await this.#store.replicas.renew(this.replica, relayLimits.leaseMs, this.#address)
    // A renewal that was reported as failed may have arrived later, after others found the lease ended.
    const isLate = startedAtMs - this.#renewedAtMs >= relayLimits.leaseMs
    if (!wasValid || isLate) this.#hasLapsed = true
    if (this.#hasLapsed) for (const task of this.#lapseTasks) await task()
    this.#hasLapsed = false
    this.#renewedAtMs = startedAtMs
    this.#steadySinceMs ??= sinceMs
  }
}
