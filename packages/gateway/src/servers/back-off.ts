// Exponential back-off for a server that fails to start.

import { serverLimits } from '../limits.ts'

/** Nothing was started, because the last start failed shortly before. The message repeats the reason. */
export class TooEarly extends Error {
  override readonly name = 'TooEarly'
}

export class BackOff {
  readonly #now: () => number
  #failures = 0
  #notBeforeMs = 0
  #reason = ''

  /** @param now a monotonic clock: with a clock that is set back, the wait would be that much longer */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Throws `TooEarly` while it is too early for another start. */
  check(): void {
    const leftMs = this.#notBeforeMs - this.#now()
    if (leftMs <= 0) return
    throw new TooEarly(`${this.#reason} (The next attempt to start it is in ${Math.ceil(leftMs / 1_000)} s.)`)
  }

  /** Called when a process ends unexpectedly. If it had sent a message, it may be restarted immediately. */
  ended(hadResponded: boolean, reason: string): void {
    if (hadResponded) {
      this.#failures = 0
      return
    }
    const waitMs = Math.min(serverLimits.restartFirstMs * 2 ** this.#failures, serverLimits.restartLastMs)
    this.#failures += 1
    this.#reason = reason
    this.#notBeforeMs = this.#now() + waitMs
  }
}
