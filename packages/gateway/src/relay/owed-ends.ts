// Ends of calls that the store could not take when they came. They are handed over as soon as it can: whoever comes back
// for such a call hears what became of it, and nothing stays on record as held that nobody holds.

import type { WithdrawReason } from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../limits.ts'
import type { Outcome } from './exchange.ts'

export interface OwedEnd {
  readonly tenant: string
  readonly outcome: Outcome
  /** What nobody needs answered any more. */
  readonly asks: readonly string[]
  /** Why they are withdrawn; because this process gave the call up unless said. */
  readonly reason?: WithdrawReason
}

export class OwedEnds {
  readonly #store: Store
  readonly #owner: string
  readonly #onTrouble: (error: unknown) => void
  readonly #owed = new Map<string, OwedEnd>()

  constructor(store: Store, owner: string, onTrouble: (error: unknown) => void) {
    this.#store = store
    this.#owner = owner
    this.#onTrouble = onTrouble
  }

  has(id: string): boolean {
    return this.#owed.has(id)
  }

  /** Hands the end over now or later. */
  hand(id: string, end: OwedEnd): void {
    this.owe(id, end)
    this.settle(id).catch(this.#onTrouble)
  }

  owe(id: string, end: OwedEnd): void {
    if (this.#owed.size < relayLimits.owedEnds) this.#owed.set(id, end)
    else this.#onTrouble(new Error('Too many calls ended while the store was away; what became of one is forgotten.'))
  }

  /** Throws while the store is still away. Nothing happens when nothing is owed. */
  async settle(id: string): Promise<void> {
    const owed = this.#owed.get(id)
    if (owed === undefined) return
    const { tenant, outcome, asks, reason = 'owner-lost' } = owed
    await this.#store.calls.finish(tenant, id, this.#owner, JSON.stringify(outcome))
    for (const ask of asks) {
      const ended = await this.#store.asks.withdraw(tenant, ask, reason)
      // A person answered just before this, and the answer reaches no caller.
      if (ended.kind === 'ended' && ended.ask.state.kind === 'settled')
        await this.#store.asks.undelivered(tenant, ask, false)
    }
    this.#owed.delete(id)
  }

  async settleAll(): Promise<void> {
    for (const id of [...this.#owed.keys()]) await this.settle(id)
  }
}
