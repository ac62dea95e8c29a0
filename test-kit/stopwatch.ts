// Measures how long something takes. While a busy machine does not run this process, no time counts.

const tickMs = 10
/** The most that one tick counts, however late it is. */
const mostMs = 20

export class Stopwatch {
  readonly #timer: NodeJS.Timeout
  #countedMs = 0
  #lastMs = performance.now()

  constructor() {
    this.#timer = setInterval(() => this.#count(), tickMs)
    this.#timer.unref()
  }

  /** The time since it was started. */
  get ms(): number {
    this.#count()
    return this.#countedMs
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #count(): void {
    const now = performance.now()
    this.#countedMs += Math.min(now - this.#lastMs, mostMs)
    this.#lastMs = now
  }
}
