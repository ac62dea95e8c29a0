// Parsed configuration values: lookup by path, comparison, and changes in a copy.

import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '@assent/core'

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** Undefined if the path does not exist. Uses hasOwn, because a server may be called "constructor". */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), root)
}

/** Ignores prototypes: some parsers create objects without one. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(other))
}

/**
 * Whether the entry is still the one that init wrote. Clients that rewrite their configuration add empty settings
 * (`null`, `[]`, `{}`, `false`); those do not count as edits by a person.
 */
export function isStillOurs(found: unknown, written: JsonObject): boolean {
  if (!isObject(found)) return false
  const ours = Object.entries(written).every(([name, value]) => isSame(valueAt(found, [name]), value))
  const others = Object.entries(found).filter(([name]) => !Object.hasOwn(written, name))
  return ours && others.every(([, value]) => isEmptySetting(value))
}

export function withValue(root: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  return { ...(isObject(root) ? root : {}), [name]: withValue(valueAt(root, [name]), rest, value) }
}

export function nested(path: readonly string[], value: JsonObject): JsonObject {
  return path.reduceRight<JsonObject>((inner, name) => ({ [name]: inner }), value)
}

function isEmptySetting(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}
