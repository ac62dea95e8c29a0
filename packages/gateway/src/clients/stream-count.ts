// Counts the listening streams of each caller, to limit them: each one occupies a connection for an unlimited time.

import { clientLimits } from '../limits.ts'

export class StreamCount {
  readonly #open = new Map<string, number>()

  /** False when this caller has reached the limit; then nothing is counted. */
  open(principal: string): boolean {
    const before = this.#open.get(principal) ?? 0
    if (before >= clientLimits.streamsPerCaller) return false
    this.#open.set(principal, before + 1)
    return true
  }

  close(principal: string): void {
    const left = (this.#open.get(principal) ?? 0) - 1
    if (left > 0) this.#open.set(principal, left)
    else this.#open.delete(principal)
  }
}
