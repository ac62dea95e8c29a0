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
  const members = { '~standard': { value: { ...standard, validate }, enumerable: true } }
  if (typeof schema !== 'function') return Object.create(schema, members) as Schema
  return Object.defineProperties(callableLike(schema), members)
}

/** A function that calls this one. It inherits everything else, such as the members by which the SDK recognises a schema library. */
function callableLike<Callable extends (...given: unknown[]) => unknown>(original: Callable): Callable {
  const callable = (...given: unknown[]) => original(...given)
  for (const own of ['name', 'length'] as const) Reflect.deleteProperty(callable, own)
  return Object.setPrototypeOf(callable, original)
}

const recorded = new WeakSet<object>()

/** Notes that a tool was registered so that its raw arguments are recorded. */
export function noteRecorded(tool: object): void {
  recorded.add(tool)
}

/** Whether the handler of this tool gets its raw arguments, too. */
export function isRecorded(tool: object): boolean {
  return recorded.has(tool)
}

/** Undefined where nothing was recorded: the parsed arguments then have to do. */
export function rawArgumentsOf(given: readonly unknown[]): readonly unknown[] | undefined {
  const [parsed, ...rest] = given
  return isHolder(parsed) && received.has(parsed) ? [received.get(parsed), ...rest] : undefined
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
