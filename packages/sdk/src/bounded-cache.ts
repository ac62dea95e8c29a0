// A cache of computed values with a bounded number of entries; the oldest entry is removed first.
//
// A handler describes its questions again on every run, and most of them are the same. The key must contain everything that
// the value is computed from.

import { sdkLimits } from './limits.ts'

export class BoundedCache<Value> {
  readonly #entries = new Map<string, Value>()

  getOrCompute(key: string, work: () => Value): Value {
    const cached = this.#entries.get(key)
    if (cached !== undefined) return cached
    const value = work()
    if (key.length > sdkLimits.cacheKeyChars) return value
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= sdkLimits.cacheEntries && oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(key, value)
    return value
  }
}
