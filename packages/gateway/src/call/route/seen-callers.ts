// Records when callers were last seen waiting for their asks.
//
// Owns: the asks that requests of this replica wait for, and one timer that writes for all of them, one after the other.
// I1  An ask that is answered soon causes no write.

import type { Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'

interface Waited {
  readonly tenant: string
  readonly id: string
}

export class SeenCallers {
  readonly #store: Store
  readonly #onError: (error: unknown) => void
  /** The asks that requests of this replica wait for. One entry per request: several may wait for one ask. */
  readonly #waited = new Set<Waited>()
  #timer: NodeJS.Timeout | undefined
  #isWriting = false

  constructor(store: Store, onError: (error: unknown) => void) {
    this.#store = store
    this.#onError = onError
  }

  /**
   * Registers a request that waits for this ask. Returns a function that ends the registration.
   *
   * @param isBack whether this request is a retry: then it is written soon, unless the ask has ended by then
   */
  waits(tenant: string, id: string, isBack: boolean): (isOpen: boolean) => void {
    const waited = { tenant, id }
    this.#waited.add(waited)
    let isUnwritten = isBack
    const write = () => {
      isUnwritten = false
      void this.#write(waited)
    }
    const back = isBack ? setTimeout(write, relayLimits.callerBackMs).unref() : undefined
    this.#timer ??= setInterval(() => void this.#writeAll(), relayLimits.callerSeenEveryMs).unref()
    return (isOpen) => {
      clearTimeout(back)
      if (isUnwritten && isOpen) write()
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
    // Half the interval, so that a write that was a little late does not skip the next one.
    await this.#store.asks.seen(tenant, id, relayLimits.callerSeenEveryMs / 2).catch(this.#onError)
  }
}
