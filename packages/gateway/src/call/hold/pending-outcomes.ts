// Outcomes of calls that the store could not take.
//
// Owns: these outcomes, up to a limit.
// I1  They are stored as soon as the store is available again, so that a caller that retries gets the outcome and no row
//     stays `running` for a call that is no longer held. Beyond the limit a call is abandoned instead.

import type { WithdrawReason } from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'
import { tryEach } from '../../protocol/try-each.ts'
import type { Ended } from '../model.ts'
import type { Leases } from './leases.ts'
import { withdrawUnused } from './settle-asks.ts'

export interface PendingOutcome {
  readonly tenant: string
  readonly outcome: Ended
  /** Asks to withdraw. */
  readonly asks: readonly string[]
  /** Why they are withdrawn; `owner-lost` by default. */
  readonly reason?: WithdrawReason
}

export class PendingOutcomes {
  readonly #store: Store
  readonly #leases: Leases
  readonly #onError: (error: unknown) => void
  readonly #pending = new Map<string, PendingOutcome>()

  constructor(store: Store, leases: Leases, onError: (error: unknown) => void) {
    this.#store = store
    this.#leases = leases
    this.#onError = onError
  }

  get size(): number {
    return this.#pending.size
  }

  get ids(): readonly string[] {
    return [...this.#pending.keys()]
  }

  has(id: string): boolean {
    return this.#pending.has(id)
  }

  /** Stores the outcome now, or later if the store is unavailable. */
  store(id: string, end: PendingOutcome): void {
    this.add(id, end)
    this.settle(id).catch(this.#onError)
  }

  add(id: string, end: PendingOutcome): void {
    if (this.#pending.size < relayLimits.pendingOutcomes) {
      this.#pending.set(id, end)
      return
    }
    this.#leases.abandon({ tenant: end.tenant, id }, 'store-unavailable')
    this.#onError(new Error('Too many calls ended while the store was unavailable; the outcome of one was dropped.'))
  }

  /** Throws while the store is still unavailable. Does nothing when no outcome is pending. */
  async settle(id: string): Promise<void> {
    const pending = this.#pending.get(id)
    if (pending === undefined) return
    const { tenant, outcome, asks, reason = 'owner-lost' } = pending
    await this.#leases.finish(tenant, id, JSON.stringify(outcome))
    for (const ask of asks) await withdrawUnused(this.#store, tenant, ask, reason)
    this.#pending.delete(id)
  }

  /** Tries every outcome: one that fails does not hold up the others. */
  async settleAll(): Promise<void> {
    await tryEach(this.ids, (id) => this.settle(id))
  }
}
