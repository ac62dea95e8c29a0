// Arguments that a person edited, checked with the input schema of the tool.
//
// An action may have other arguments than its tool. Only those that it took over from the tool unchanged are checked, together
// with the rest of the call as the client sent it. Arguments whose type the schema converts are left out: a person edits the
// converted value, which the schema would not accept as its input.

import { canonicalJson, isAssentError, isPlainObject } from '@assent/core'
import { issuePath, type StandardSchema, schemaRejection } from './form-source.ts'

type Members = Readonly<Record<string, unknown>>

export interface ToolInput {
  /** The input schema of the tool, if it is known. */
  readonly schema: StandardSchema | undefined
  /** The arguments that the handler got. */
  readonly parsed: unknown
  /** The arguments as the client sent them, if they are known. */
  readonly raw: unknown
}

export interface EditedMembers {
  /** The arguments of the action as they were before. */
  readonly current: Members
  readonly edited: Members
  /** Those that the person could edit. */
  readonly names: readonly string[]
}

/** The edited arguments as the schema returns them. Throws `validation_failed` for those that it does not accept. */
export async function checkedEdit(
  { schema, parsed, raw }: ToolInput,
  { current, edited, names }: EditedMembers,
): Promise<Members> {
  if (schema === undefined || !isPlainObject(parsed)) return edited
  const sent = isPlainObject(raw) ? raw : parsed
  const checked = names.filter((name) => isPassedOn(name, current, parsed) && keepsType(name, sent, parsed))
  if (checked.length === 0) return edited
  const result = await schema['~standard'].validate({ ...sent, ...pick(edited, checked) })
  if (result.issues === undefined) return { ...edited, ...pick(result.value, checked, edited) }
  // Other arguments may have been converted, so that the schema does not accept them again.
  const about = result.issues.filter((issue) => {
    const [name] = issuePath(issue)
    return name === undefined || checked.includes(name)
  })
  if (about.length === 0) return edited
  throw schemaRejection(about)
}

function isPassedOn(name: string, current: Members, parsed: Members): boolean {
  if (!Object.hasOwn(parsed, name)) return false
  const passed = canonicalOrUndefined(parsed[name])
  return passed !== undefined && passed === canonicalJson(current[name])
}

/** Undefined for a value that has no canonical JSON, such as a date that the schema made of a text. */
function canonicalOrUndefined(value: unknown): string | undefined {
  try {
    return canonicalJson(value)
  } catch (error) {
    if (isAssentError(error)) return undefined
    throw error
  }
}

function keepsType(name: string, sent: Members, parsed: Members): boolean {
  return !Object.hasOwn(sent, name) || typeof sent[name] === typeof parsed[name]
}

/** Of these members, those with the same type as in `like`. */
function pick(from: unknown, names: readonly string[], like?: Members): Members {
  if (!isPlainObject(from)) return {}
  const picked = names.filter((name) => like === undefined || typeof from[name] === typeof like[name])
  return Object.fromEntries(picked.map((name) => [name, from[name]]))
}
