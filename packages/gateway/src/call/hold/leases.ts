// The rows of calls that this replica owns: written and finished while the replica's lease is valid, and ended when this
// replica does not hold the call any more.
//
// Owns: calls whose row is being written, and calls that are to be marked as lost.
// I1  A call is begun and finished only after the lease was renewed. The statement checks the lease again.
// I2  A write that was reported as failed may still arrive at the store. So the row of a call that failed to begin is
//     abandoned a second time when no write can arrive any more.

import { isAssentError, type WithdrawReason } from '@assent/core'
import type { CallDraft, Store } from '@assent/store'
import type { Heartbeat } from '../../cluster/heartbeat.ts'
import { relayLimits } from '../../limits.ts'
import { tryEach } from '../../protocol/try-each.ts'

interface Abandoned {
  readonly tenant: string
  /** Why its asks are withdrawn. */
  readonly reason: WithdrawReason
  /** When to mark it as lost, and until when its row may still be written. */
  readonly nextMs: number
  readonly untilMs: number
}

export class Leases {
  readonly #store: Store
  readonly #heartbeat: Heartbeat
  /** Calls whose row is being written. */
  readonly #beginning = new Set<string>()
  readonly #abandoned = new Map<string, Abandoned>()

  constructor(store: Store, heartbeat: Heartbeat) {
    this.#store = store
    this.#heartbeat = heartbeat
  }

  /** The number of calls that need the lease and are neither held nor attached. */
  get size(): number {
    return this.#beginning.size + this.#abandoned.size
  }

  /** Resolves when the lease is valid and calls that others ended meanwhile are dropped. */
  async ensure(): Promise<void> {
    await this.#heartbeat.ensure()
  }

  /** @param onBegun registers the call as held, in the same tick in which it leaves `#beginning` */
  async begin(call: Omit<CallDraft, 'owner'>, onBegun: () => void): Promise<void> {
    this.#beginning.add(call.id)
    try {
      await this.#heartbeat.ensure()
      await this.#written(call)
      onBegun()
    } finally {
      this.#beginning.delete(call.id)
    }
  }

  /** Like `store.calls.finish`, for a call that this replica owns. */
  async finish(tenant: string, id: string, outcome: string): Promise<boolean> {
    await this.#heartbeat.ensure()
    return this.#store.calls.finish(tenant, id, this.#heartbeat.replica, outcome)
  }

  /** Marks a call as lost that this replica does not hold any more, with one of the next heartbeats. */
  abandon(
    { tenant, id }: { readonly tenant: string; readonly id: string },
    reason: WithdrawReason,
    untilMs = this.#abandoned.get(id)?.untilMs ?? Number.NEGATIVE_INFINITY,
  ): void {
    this.#abandoned.set(id, { tenant, reason, nextMs: Number.NEGATIVE_INFINITY, untilMs })
    this.#heartbeat.use()
  }

  /**
   * After the lease had ended: returns which of these calls others have ended, and abandons rows of this replica that are
   * unknown here.
   */
  async ended(held: readonly string[], isKnown: (id: string) => boolean): Promise<readonly string[]> {
    // Calls that are still beginning may or may not have a row yet.
    const begun = held.filter((id) => !this.#beginning.has(id))
    if (begun.length + this.#abandoned.size === 0) return []
    const running = await this.#store.calls.ofOwner(this.#heartbeat.replica)
    for (const call of running) {
      if (!isKnown(call.id) && !this.#beginning.has(call.id)) this.abandon(call, 'store-unavailable')
    }
    const ids = new Set(running.map(({ id }) => id))
    return begun.filter((id) => !ids.has(id))
  }

  /** Marks the abandoned calls as lost, each of them although another one failed. Throws while the store is unavailable. */
  async settle(): Promise<void> {
    await tryEach([...this.#abandoned], async ([id, one]) => {
      const { tenant, reason, nextMs, untilMs } = one
      if (performance.now() < nextMs) return
      await this.#store.abandonCall({ tenant, id, owner: this.#heartbeat.replica, reason })
      if (this.#abandoned.get(id) !== one) return
      if (nextMs >= untilMs) this.#abandoned.delete(id)
      else this.#abandoned.set(id, { ...one, nextMs: untilMs })
    })
  }

  async #written(call: Omit<CallDraft, 'owner'>): Promise<void> {
    try {
      await this.#store.calls.begin({ ...call, owner: this.#heartbeat.replica })
    } catch (error) {
      this.abandon(call, withdrawReasonOf(error), performance.now() + relayLimits.recordSettlesMs)
      throw error
    }
  }
}

/** Why a call ends that failed with this error. */
export function withdrawReasonOf(error: unknown): WithdrawReason {
  return isAssentError(error, 'store_unavailable') ? 'store-unavailable' : 'owner-lost'
}
