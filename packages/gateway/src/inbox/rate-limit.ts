// At most so many times within a period.

export class RateLimit {
  readonly #atMost: number
  readonly #periodMs: number
  #takenAtMs: number[] = []

  constructor(atMost: number, periodMs: number) {
    this.#atMost = atMost
    this.#periodMs = periodMs
  }

  /** False if it was taken too often. */
  take(): boolean {
    const nowMs = performance.now()
    this.#takenAtMs = this.#takenAtMs.filter((atMs) => nowMs - atMs < this.#periodMs)
    if (this.#takenAtMs.length >= this.#atMost) return false
    this.#takenAtMs.push(nowMs)
    return true
  }
}
