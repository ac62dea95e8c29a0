// A small cache: each value is kept for the same time, and the oldest is dropped when there are too many.

interface Entry<Value> {
  readonly value: Value
  readonly untilMs: number
}

export class FreshMap<Value> {
  readonly #keepMs: number
  readonly #atMost: number
  readonly #nowMs: () => number
  /** In the order in which they expire. */
  readonly #entries = new Map<string, Entry<Value>>()

  constructor(keepMs: number, atMost: number, nowMs: () => number = () => performance.now()) {
    this.#keepMs = keepMs
    this.#atMost = atMost
    this.#nowMs = nowMs
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.untilMs > this.#nowMs() ? entry.value : undefined
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, { value, untilMs: this.#nowMs() + this.#keepMs })
    for (const [oldest, { untilMs }] of this.#entries) {
      if (this.#entries.size <= this.#atMost && untilMs > this.#nowMs()) return
      this.#entries.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
