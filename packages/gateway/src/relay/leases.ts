// The calls that one process has on record as its own, and its word that it lives.
//
// A step that was taken for failed may have happened all the same, or happen a little later. So with each beat the record is
// held against what is really held here.

import type { CallDraft, Store } from '@assent/store'
import { relayLimits } from '../limits.ts'

export class Leases {
  readonly #store: Store
  readonly #owner: string
  /** Calls that are about to be on record. */
  readonly #beginning = new Set<string>()
  /** When something was last on record, or may have been. */
  #usedAt = Number.NEGATIVE_INFINITY

  constructor(store: Store, owner: string) {
    this.#store = store
    this.#owner = owner
  }

  /** @param onBegun makes the call known as held, in the same instant in which it ceases to be about to begin */
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
   * Says that this process lives. Returns what it does not hold any more: others gave it up while we could not say so, and
   * they are right. What is on record and known to nobody here is given up, so that others see it and withdraw what it asked.
   */
  async renew(held: readonly string[], isKnown: (id: string) => boolean): Promise<string[]> {
    // Of what only begins nobody knows whether it is on record when this arrives.
    const begun = held.filter((id) => !this.#beginning.has(id))
    if (held.length + this.#beginning.size > 0) this.#usedAt = performance.now()
    if (performance.now() - this.#usedAt > relayLimits.recordSettlesMs) return []
    const renewed = await this.#store.calls.renew(this.#owner, relayLimits.leaseMs)
    for (const id of renewed) {
      if (!isKnown(id) && !this.#beginning.has(id)) await this.#store.calls.giveUp(id, this.#owner)
    }
    return begun.filter((id) => !renewed.has(id))
  }
}
