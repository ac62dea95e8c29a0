// What a generator yields: the description of a call of `ask`, `step` or `gate`, which the driver then performs.
//
// With `yield` the answer is untyped; with `yield*` it has its type.

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
      // The driver of the generator sends back the result of `perform`.
      return (yield this) as Value
    },
  }
}

/** Undefined for anything but a yielded ask, step or gate. */
export function performOf(value: unknown): Perform | undefined {
  if (typeof value !== 'object' || value === null || !(mark in value)) return undefined
  return value[mark] as Perform
}
