// Converts the arguments that policies refer to into values of Cedar.
//
// A number is a Long where the tool's schema says `integer` and a decimal with four places where it says `number`;
// without a type in the schema, a whole number is a Long. null is left out. What Cedar cannot represent exactly is left
// out too and reported as unrepresentable: the policies that refer to it then apply or grant nothing, whatever they test. So is
// an argument next to one with a name that is alike: some servers would read that one.

import { isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs'
import { type ArgumentPath, pointerOf } from './argument-paths.ts'
import { declaredNames, isRuledOut, schemaAt, typesOf } from './input-schema.ts'
import { AlikeNames } from './look-alike.ts'

export interface CedarArguments {
  readonly args: Record<string, CedarValueJson>
  /** Pointers of the paths whose value was left out although there is one. */
  readonly unrepresentable: ReadonlySet<string>
  /** Pointers of the paths that were converted to a Long. */
  readonly integers: readonly string[]
  /** Pointers of the paths that the tool's schema rules out and the call does not have. */
  readonly absent: readonly string[]
}

/** Cedar reads objects with one of these members as something else than a record. */
const escapes = ['__entity', '__extn', '__expr']
const listItems = 256
const members = 256
const depthMost = 16
const textChars = 65_536
/** Below the range of Cedar's decimal, in which JavaScript has four exact decimal places. */
const decimalMost = 100_000_000_000

/** @param paths without repeats, and each before those that lead into it */
export function cedarArguments(
  given: JsonObject,
  schema: JsonValue | undefined,
  paths: readonly ArgumentPath[],
): CedarArguments {
  const args: Record<string, CedarValueJson> = Object.create(null)
  const unrepresentable = new Set<string>()
  const integers: string[] = []
  const absent: string[] = []
  const alikeNames = new AlikeNames()
  for (const path of paths) {
    const { value, at } = valueAt(given, path)
    if (value === undefined && isRuledOut(schema, path)) absent.push(pointerOf(path))
    if (hasLookAlike(given, schema, path, alikeNames)) unrepresentable.add(pointerOf(path))
    if (value === undefined || value === null) continue
    const converted = convert(value, schemaAt(schema, at), 0)
    // What a shorter path has put there already contains this value.
    if (converted === undefined || !put(args, at, converted)) unrepresentable.add(pointerOf(path))
    else if (typeof converted === 'number' && at.length === path.length) integers.push(pointerOf(path))
  }
  return { args, unrepresentable, integers, absent }
}

/** The value at a path; or, where the path leads through something that is not an object, that value. */
function valueAt(given: JsonObject, path: ArgumentPath): { value: JsonValue | undefined; at: ArgumentPath } {
  let value: JsonValue | undefined = given
  for (const [index, name] of path.entries()) {
    if (!isPlainObject(value)) return { value, at: path.slice(0, index) }
    value = Object.hasOwn(value, name) ? ((value as JsonObject)[name] ?? null) : undefined
    if (value === undefined) return { value, at: path }
  }
  return { value, at: path }
}

/**
 * Whether a tolerant server could read another member as one of the path. Names that the schema has are different
 * arguments.
 */
function hasLookAlike(
  given: JsonObject,
  schema: JsonValue | undefined,
  path: ArgumentPath,
  alikeNames: AlikeNames,
): boolean {
  let holder: JsonValue | undefined = given
  for (const [index, name] of path.entries()) {
    if (!isPlainObject(holder)) return false
    const members: JsonObject = holder as JsonObject
    const alike = alikeNames.inside(members, name)
    const declared = new Set(alike.length === 0 ? [] : declaredNames(schema, path.slice(0, index)))
    if (alike.some((one) => !declared.has(one))) return true
    holder = Object.hasOwn(members, name) ? members[name] : undefined
  }
  return false
}

function put(args: Record<string, CedarValueJson>, path: ArgumentPath, value: CedarValueJson): boolean {
  if (path.some((name) => escapes.includes(name))) return false
  const last = path.at(-1)
  if (last === undefined) {
    if (!isPlainObject(value)) return false
    Object.assign(args, value)
    return true
  }
  let target = args
  for (const name of path.slice(0, -1)) {
    const next = Object.hasOwn(target, name) ? target[name] : undefined
    const inner = isPlainObject(next) ? (next as Record<string, CedarValueJson>) : Object.create(null)
    target[name] = inner
    target = inner
  }
  target[last] = value
  return true
}

function convert(value: JsonValue, schema: JsonValue | undefined, depth: number): CedarValueJson | undefined {
  if (depth > depthMost) return undefined
  if (typeof value === 'string') return value.length <= textChars && value.isWellFormed() ? value : undefined
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return numberOf(value, schema)
  if (Array.isArray(value)) return listOf(value, schema, depth)
  return isPlainObject(value) ? recordOf(value as JsonObject, schema, depth) : undefined
}

function numberOf(value: number, schema: JsonValue | undefined): CedarValueJson | undefined {
  const types = typesOf(schema)
  const isDecimal = types.includes('number') || (!types.includes('integer') && !Number.isInteger(value))
  if (!isDecimal) return Number.isSafeInteger(value) ? value : undefined
  const text = value.toFixed(4)
  if (Math.abs(value) >= decimalMost || Number(text) !== value) return undefined
  return { __extn: { fn: 'decimal', arg: text } }
}

function listOf(value: readonly JsonValue[], schema: JsonValue | undefined, depth: number): CedarValueJson | undefined {
  if (value.length > listItems) return undefined
  const items = isPlainObject(schema) ? (schema as JsonObject).items : undefined
  const all: CedarValueJson[] = []
  for (const one of value) {
    if (one === null) continue
    const converted = convert(one, items, depth + 1)
    if (converted === undefined) return undefined
    all.push(converted)
  }
  return all
}

function recordOf(value: JsonObject, schema: JsonValue | undefined, depth: number): CedarValueJson | undefined {
  const entries = Object.entries(value)
  if (entries.length > members) return undefined
  const record: Record<string, CedarValueJson> = Object.create(null)
  for (const [name, one] of entries) {
    if (escapes.includes(name) || !name.isWellFormed()) return undefined
    if (one === null || one === undefined) continue
    const converted = convert(one, schemaAt(schema, [name]), depth + 1)
    if (converted === undefined) return undefined
    record[name] = converted
  }
  return record
}
