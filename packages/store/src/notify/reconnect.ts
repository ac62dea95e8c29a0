// When to open a lost background connection again: with a delay that doubles with each failure.

const firstDelayMs = 100
const longestDelayMs = 5_000

export class Reconnect {
  #timer: NodeJS.Timeout | undefined
  #delayMs = firstDelayMs

  /** Whether `connect` is about to be called. */
  get isScheduled(): boolean {
    return this.#timer !== undefined
  }

  schedule(connect: () => void): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      connect()
    }, this.#delayMs)
    this.#timer.unref()
    this.#delayMs = Math.min(this.#delayMs * 2, longestDelayMs)
  }

  /** The connection works: the next failure is retried after the shortest delay again. */
  succeeded(): void {
    this.#delayMs = firstDelayMs
  }

  cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
