// When callers were last seen waiting for their asks, written now and then for all asks that requests of this process wait
// for: one timer, one write after the other, and nothing at all for an ask that is answered soon.

import type { Store } from '@assent/store'
import { relayLimits } from '../limits.ts'

interface Waited {
  readonly tenant: string
  readonly id: string
}

export class SeenCallers {
  readonly #store: Store
  readonly #onTrouble: (error: unknown) => void
  /** The asks that requests wait for here. An entry per request: several may wait for one ask. */
  readonly #waited = new Set<Waited>()
  #timer: NodeJS.Timeout | undefined
  #isWriting = false

  constructor(store: Store, onTrouble: (error: unknown) => void) {
    this.#store = store
    this.#onTrouble = onTrouble
  }

  /**
   * A request waits for this ask from now on. Returns how to end that.
   *
   * @param isBack whether the caller came back for it: then it is written at once
   */
  waits(tenant: string, id: string, isBack: boolean): () => void {
    const waited = { tenant, id }
    this.#waited.add(waited)
    if (isBack) void this.#write(waited)
    this.#timer ??= setInterval(() => void this.#writeAll(), relayLimits.callerSeenEveryMs).unref()
    return () => {
      this.#waited.delete(waited)
      if (this.#waited.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #writeAll(): Promise<void> {
    if (this.#isWriting) return
    this.#isWriting = true
    for (const waited of [...this.#waited]) if (this.#waited.has(waited)) await this.#write(waited)
    this.#isWriting = false
  }

  async #write({ tenant, id }: Waited): Promise<void> {
    // A little less than the interval, so that a write that was a little late does not skip the next one.
    await this.#store.asks.seen(tenant, id, relayLimits.callerSeenEveryMs / 2).catch(this.#onTrouble)
  }
}
