// What a generator yields: something to do with a handler's own `ask`, `step` or `gate`, described and not yet done.
//
// It can be yielded as it is, and then the type checker knows nothing of the answer; or with `yield*`, which gives the
// answer its type.

import type { Interaction } from '../interaction.ts'

const mark = Symbol.for('assent.yielded')

export type Perform<Value = unknown> = (interaction: Interaction) => Promise<Value>

export interface Yielded<Value = unknown> {
  readonly [mark]: Perform<Value>
  [Symbol.iterator](): Generator<Yielded, Value, unknown>
}

export function yielded<Value>(perform: Perform<Value>): Yielded<Value> {
  return {
    [mark]: perform,
    *[Symbol.iterator]() {
      // Whoever drives the generator sends back what `perform` gave.
      return (yield this) as Value
    },
  }
}

/** Undefined when it is nothing of ours. */
export function performOf(value: unknown): Perform | undefined {
  if (typeof value !== 'object' || value === null || !(mark in value)) return undefined
  return value[mark] as Perform
}
