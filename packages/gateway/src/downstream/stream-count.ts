// The streams that only listen, counted for each caller: each costs a connection for as long as its caller likes.

import { downstreamLimits } from '../limits.ts'

export class StreamCount {
  readonly #open = new Map<string, number>()

  /** False when this caller has as many as anyone may have; then nothing was opened. */
  open(principal: string): boolean {
    const before = this.#open.get(principal) ?? 0
    if (before >= downstreamLimits.streamsPerCaller) return false
    this.#open.set(principal, before + 1)
    return true
  }

  close(principal: string): void {
    const left = (this.#open.get(principal) ?? 0) - 1
    if (left > 0) this.#open.set(principal, left)
    else this.#open.delete(principal)
  }
}
