// Keeps a server that cannot even start from being started again and again.

import { upstreamLimits } from '../limits.ts'

/** Nothing was started, because the last start failed a moment ago. The message repeats why. */
export class TooEarly extends Error {
  override readonly name = 'TooEarly'
}

export class BackOff {
  readonly #now: () => number
  #failures = 0
  #notBeforeMs = 0
  #reason = ''

  /** @param now runs forward only: a clock that was set back would keep a server down for as long */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Throws, in words, while it is too early for another start. */
  check(): void {
    const leftMs = this.#notBeforeMs - this.#now()
    if (leftMs <= 0) return
    throw new TooEarly(`${this.#reason} (The next attempt to start it is in ${Math.ceil(leftMs / 1_000)} s.)`)
  }

  /** Told when a process has ended that was not asked to. One that had spoken was sound, and may be started at once. */
  ended(hadSpoken: boolean, reason: string): void {
    if (hadSpoken) {
      this.#failures = 0
      return
    }
    const waitMs = Math.min(upstreamLimits.restartFirstMs * 2 ** this.#failures, upstreamLimits.restartLastMs)
    this.#failures += 1
    this.#reason = reason
    this.#notBeforeMs = this.#now() + waitMs
  }
}
