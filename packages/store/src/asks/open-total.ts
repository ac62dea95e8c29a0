// Whether there is room for one more ask among those of all tenants together.
//
// Tenants share nothing that all of them would have to wait for, so this count is made now and then, and every process adds
// what it raised itself since. What the others raise between two counts is not in it: by so much the limit may be passed.

import type { Engine } from '../engine/engine.ts'
import { countOpen } from './room.ts'

/** How old a count may be: when more than half is used, and before. */
const freshMs = 1_000
const farFromFullMs = 10_000
/** Nobody is refused by a count that is older. */
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

  /** One more of this process. */
  raised(): void {
    this.#raisedSince++
  }

  get #known(): number {
    return this.#open + this.#raisedSince
  }

  get #ageMs(): number {
    return performance.now() - this.#countedAt
  }

  /** Once for all who want to know. */
  #count(total: number): Promise<void> {
    this.#counting ??= this.#counted(total).finally(() => {
      this.#counting = undefined
    })
    return this.#counting
  }

  async #counted(total: number): Promise<void> {
    // What is raised meanwhile may be counted twice, which does no harm until the next count.
    const before = this.#raisedSince
    const [row] = await this.#engine.run(countOpen, { at_most: total })
    this.#open = row?.open ?? 0
    this.#raisedSince -= before
    this.#countedAt = performance.now()
  }
}
