// Whether the limit on open asks of all tenants is reached.
//
// Tenants share no lock and no row, so each process counts from time to time and adds the asks that it has raised since.
// I1  Asks that this process is raising or has raised since its count are included.
// I2  After `share` of the limit has been raised on one count, the process counts again. So the limit can be exceeded at most by
//     this share, and by the asks being raised at that moment, for each other process.

import type { Engine } from '../engine/engine.ts'
import { countOpen } from './open-limits.ts'

/** How old a count may be: above half of the limit, and below. */
const freshMs = 1_000
const farFromFullMs = 10_000
/** An older count is renewed before an ask is refused. */
const refusalMs = 100
/** The part of the limit that this process may raise on one count: one ask at least. */
const share = 0.01

export class OpenTotal {
  readonly #engine: Engine
  #open = 0
  #raisedSince = 0
  #raising = 0
  #countedAt = Number.NEGATIVE_INFINITY
  #counting: Promise<void> | undefined

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /**
   * Raises an ask if there is room for it: undefined if there is none.
   *
   * @param raise returns whether it raised the ask
   */
  async within<Value>(
    total: number,
    raise: () => Promise<{ readonly value: Value; readonly isRaised: boolean }>,
  ): Promise<Value | undefined> {
    if (!(await this.#reserve(total))) return undefined
    try {
      const { value, isRaised } = await raise()
      if (isRaised) this.#raisedSince++
      return value
    } finally {
      this.#raising--
    }
  }

  /** To be called for each ask that this process raises without this limit. */
  raised(): void {
    this.#raisedSince++
  }

  /** Counts the ask before it is raised, without a pause after the check: others may be waiting for the same count. */
  async #reserve(total: number): Promise<boolean> {
    const isFar = this.#known * 2 < total
    const isUsedUp = this.#raisedSince + this.#raising >= Math.max(1, total * share)
    if (isUsedUp || this.#ageMs > (isFar ? farFromFullMs : freshMs)) await this.#count(total)
    if (this.#known >= total && this.#ageMs > refusalMs) await this.#count(total)
    if (this.#known >= total) return false
    this.#raising++
    return true
  }

  get #known(): number {
    return this.#open + this.#raisedSince + this.#raising
  }

  get #ageMs(): number {
    return performance.now() - this.#countedAt
  }

  /** Concurrent callers share one count. */
  #count(total: number): Promise<void> {
    this.#counting ??= this.#counted(total).finally(() => {
      this.#counting = undefined
    })
    return this.#counting
  }

  async #counted(total: number): Promise<void> {
    // Asks raised meanwhile may be counted twice until the next count, which is harmless.
    const before = this.#raisedSince
    const [row] = await this.#engine.run(countOpen, { at_most: total })
    this.#open = row?.open ?? 0
    this.#raisedSince -= before
    this.#countedAt = performance.now()
  }
}
