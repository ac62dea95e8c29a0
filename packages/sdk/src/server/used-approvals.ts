// Approvals that were used in this process, for servers without a store.
//
// It covers this process only: another replica, or this one after a restart with the same keys, does not have it. An entry is
// deleted when no state can bring its approval back. At the limit the next use is refused, because deleting an entry early
// would let its approval run twice.

import { sdkLimits } from '../limits.ts'

export class UsedApprovals {
  readonly #until = new Map<string, number>()
  readonly #limit: number

  constructor(most: number = sdkLimits.usedGrants) {
    this.#limit = most
  }

  /** True once for each id. */
  use(id: string, untilMs: number, nowMs: number): boolean {
    if (this.#until.has(id)) return false
    if (this.#until.size >= this.#limit) this.#deleteExpired(nowMs)
    if (this.#until.size >= this.#limit) return false
    this.#until.set(id, untilMs)
    return true
  }

  #deleteExpired(nowMs: number): void {
    for (const [id, untilMs] of this.#until) if (untilMs < nowMs) this.#until.delete(id)
  }
}
