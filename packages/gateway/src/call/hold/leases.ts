// Calls that this replica owns in the store, and the renewal of their leases.
//
// A write that was reported as failed may still have happened, or may happen a little later. So each heartbeat compares
// the rows in the store with the calls that are held here.

import type { CallDraft, Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'

export class Leases {
  readonly #store: Store
  readonly #owner: string
  /** Calls whose row is being written. */
  readonly #beginning = new Set<string>()
  /** When this replica last had, or may have had, a row. */
  #usedAt = Number.NEGATIVE_INFINITY

  constructor(store: Store, owner: string) {
    this.#store = store
    this.#owner = owner
  }

  /** @param onBegun registers the call as held, in the same tick in which it leaves `#beginning` */
  async begin(call: Omit<CallDraft, 'owner' | 'leaseMs'>, onBegun: () => void): Promise<void> {
    this.#usedAt = performance.now()
    this.#beginning.add(call.id)
    try {
      await this.#store.calls.begin({ ...call, owner: this.#owner, leaseMs: relayLimits.leaseMs })
      onBegun()
    } finally {
      this.#beginning.delete(call.id)
    }
  }

  /**
   * Renews the leases. Returns the calls that this replica no longer owns: another replica expired them while we could
   * not renew, which is final. Rows that are unknown here are abandoned, so that another replica withdraws their asks.
   */
  async renew(held: readonly string[], isKnown: (id: string) => boolean): Promise<string[]> {
    // Calls that are still beginning may or may not have a row yet.
    const begun = held.filter((id) => !this.#beginning.has(id))
    if (held.length + this.#beginning.size > 0) this.#usedAt = performance.now()
    if (performance.now() - this.#usedAt > relayLimits.recordSettlesMs) return []
    const renewed = await this.#store.calls.renew(this.#owner, relayLimits.leaseMs)
    for (const id of renewed) {
      if (!isKnown(id) && !this.#beginning.has(id)) await this.#store.calls.abandon(id, this.#owner)
    }
    return begun.filter((id) => !renewed.has(id))
  }
}
