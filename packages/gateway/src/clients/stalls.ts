// Times in which this process read no messages, because its event loop was blocked: a busy machine, modules being
// loaded, a long computation.
//
// An answer that arrives in such a time is read only afterwards and seems slower than it was. Without this measurement
// an automatic answer, which comes within milliseconds, could pass for a person's.
//
// Owns: a timer that runs for a while after each question, and the recent stalls.
// I1  A process that was not blocked loses no time.
// I2  A stall leaves at most one tick that counts, however long it was.

import { clientLimits } from '../limits.ts'

interface Stall {
  readonly endedAt: number
  readonly ms: number
}

export class Stalls {
  readonly #now: () => number
  #recent: Stall[] = []
  #timer: NodeJS.Timeout | undefined
  #lastTick = 0
  #until = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** A question is sent now: measures from here on. */
  watch(): void {
    const now = this.#now()
    this.#until = now + clientLimits.stallsWatchedMs
    if (this.#timer !== undefined) return
    this.#lastTick = now
    this.#timer = setInterval(() => this.tick(), clientLimits.stallTickMs).unref()
  }

  /** How much of the last `ms` milliseconds this process was blocked. */
  within(ms: number): number {
    if (this.#timer !== undefined) this.tick()
    const since = this.#now() - ms
    return this.#recent.reduce((sum, stall) => sum + Math.max(0, Math.min(stall.ms, stall.endedAt - since)), 0)
  }

  tick(): void {
    const now = this.#now()
    const ms = now - this.#lastTick - clientLimits.stallTickMs
    this.#lastTick = now
    if (ms > 0) this.#recent.push({ endedAt: now, ms })
    this.#recent = this.#recent.filter(({ endedAt }) => endedAt > now - clientLimits.stallsWatchedMs)
    if (now < this.#until) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** Of this process: it has one event loop. */
export const ownStalls = new Stalls()
