// What was worked out before, by a name that says all that it was worked out from.
//
// A handler describes its questions anew on every run, though they are mostly the same ones. This keeps a bounded number
// of answers; the oldest makes room, and is only worked out again when it is asked again.

import { sdkLimits } from './limits.ts'

export class Remembered<Value> {
  readonly #known = new Map<string, Value>()

  of(name: string, work: () => Value): Value {
    const before = this.#known.get(name)
    if (before !== undefined) return before
    const value = work()
    if (name.length > sdkLimits.rememberedNameChars) return value
    const [oldest] = this.#known.keys()
    if (this.#known.size >= sdkLimits.remembered && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(name, value)
    return value
  }
}
