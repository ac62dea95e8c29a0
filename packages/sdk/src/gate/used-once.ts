// Which approvals were used in this process, where no store remembers it for all.
//
// It holds while the process lives and for this process alone: another replica, or this one after a restart with the
// same keys, knows nothing of it. An approval is forgotten when no state could bring it back; when there are too many
// to remember, the next use is refused, because forgetting one would let it run twice.

import { sdkLimits } from '../limits.ts'

export class UsedOnce {
  readonly #until = new Map<string, number>()
  readonly #most: number

  constructor(most: number = sdkLimits.usedGrants) {
    this.#most = most
  }

  /** True once for each id. */
  use(id: string, untilMs: number, nowMs: number): boolean {
    if (this.#until.has(id)) return false
    if (this.#until.size >= this.#most) this.#forget(nowMs)
    if (this.#until.size >= this.#most) return false
    this.#until.set(id, untilMs)
    return true
  }

  #forget(nowMs: number): void {
    for (const [id, untilMs] of this.#until) if (untilMs < nowMs) this.#until.delete(id)
  }
}
