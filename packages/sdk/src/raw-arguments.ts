// The arguments of a call as the client sent them, before the input schema changed them.
//
// A schema may add a value of its own to every call, such as a generated id. State is bound to what the client sent, which is
// the same in every round; the parsed arguments are not. They are found through the parsed value, because no context of an
// MCP SDK contains them.

import type { StandardSchema } from './ask/form-source.ts'

const received = new WeakMap<object, unknown>()

/** The same schema; what it parses can be looked up with `rawArgumentsOf`. */
export function recordingRaw<Schema extends StandardSchema>(schema: Schema): Schema {
  const standard = schema['~standard']
  const validate: typeof standard.validate = async (raw) => {
    const result = await standard.validate(raw)
    if (result.issues === undefined && isHolder(result.value)) received.set(result.value, raw)
    return result
  }
  // Inherits everything else, such as the members by which the SDK recognises its own schema library.
  return Object.create(schema, { '~standard': { value: { ...standard, validate }, enumerable: true } }) as Schema
}

/** Undefined where nothing was recorded: the parsed arguments then have to do. */
export function rawArgumentsOf(given: readonly unknown[]): readonly unknown[] | undefined {
  const [parsed, ...rest] = given
  return isHolder(parsed) && received.has(parsed) ? [received.get(parsed), ...rest] : undefined
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
