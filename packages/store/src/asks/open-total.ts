// Whether the limit on open asks of all tenants is reached.
//
// Tenants share no lock, so this process counts periodically and adds the asks that it has raised since. It does not include asks
// that other processes raise between two counts: the limit may be exceeded by that number.

import type { Engine } from '../engine/engine.ts'
import { countOpen } from './open-limits.ts'

/** How old a count may be: above half of the limit, and below. */
const freshMs = 1_000
const farFromFullMs = 10_000
/** An older count is renewed before an ask is refused. */
const refusalMs = 100

export class OpenTotal {
  readonly #engine: Engine
  #open = 0
  #raisedSince = 0
  #countedAt = Number.NEGATIVE_INFINITY
  #counting: Promise<void> | undefined

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async isFull(total: number): Promise<boolean> {
    const isFar = this.#known * 2 < total
    if (this.#ageMs > (isFar ? farFromFullMs : freshMs)) await this.#count(total)
    if (this.#known >= total && this.#ageMs > refusalMs) await this.#count(total)
    return this.#known >= total
  }

  /** To be called for each ask that this process raises. */
  raised(): void {
    this.#raisedSince++
  }

  get #known(): number {
    return this.#open + this.#raisedSince
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
