// The digest of a call, so that its state opens only for the same call; and its arguments as JSON, and back.
//
// Arguments are the output of the server's schema, so they may contain values that JSON cannot: each such value gets an
// encoding of its own. A value without an encoding is refused, because two different calls would share one digest.

import { AssentError, isAssentError, isPlainObject, type JsonValue, requestDigest } from '@assent/core'
import { sdkLimits } from './limits.ts'

export type CallKind = 'tool' | 'prompt' | 'resource'

export const callMethods = { tool: 'tools/call', prompt: 'prompts/get', resource: 'resources/read' } as const

export function callDigest(kind: CallKind, name: string, given: readonly unknown[]): string {
  return requestDigest({ method: callMethods[kind], target: name, arguments: { given: encodeArgument(given) } })
}

/**
 * The parsed arguments, for the state: a schema that adds a value of its own would give the handler another one in each round.
 * Members that are as the client sent them are left out, because it sends them again. Nothing is kept if all of them are, if they
 * cannot be encoded, or if what is left is large: then each round parses them again.
 */
export function firstArguments(given: readonly unknown[], raw: readonly unknown[]): { readonly given?: JsonValue } {
  try {
    const sent = raw.map(encodeArgument)
    const encoded = given.map(encodeArgument)
    if (JSON.stringify(encoded) === JSON.stringify(sent)) return {}
    const changed = encoded.map((value, index) => changedMembers(value, sent[index]))
    return JSON.stringify(changed).length > sdkLimits.argumentsInStateChars ? {} : { given: changed }
  } catch (error) {
    if (!isAssentError(error, 'misconfigured')) throw error
    return {}
  }
}

/** What `firstArguments` encoded. `raw` is what the client sent in this round, which is the same. */
export function decodeArguments(encoded: JsonValue, raw: readonly unknown[]): unknown[] {
  return (encoded as JsonValue[]).map((value, index) => {
    if (!isPlainObject(value) || value[''] !== 'changed') return decodeArgument(value)
    const members = value.value as readonly Member[]
    const sent = encodeArgument(raw[index]) as Readonly<Record<string, JsonValue>>
    const entries = members.map(([name, ...changed]) => [name, changed.length > 0 ? changed[0] : sent[name]])
    return decodeArgument(Object.fromEntries(entries) as JsonValue)
  })
}

/** A member, with its value if it differs from what the client sent. */
type Member = readonly [string, JsonValue?]

function changedMembers(encoded: JsonValue, sent: JsonValue | undefined): JsonValue {
  if (!isPlainMembers(encoded) || !isPlainMembers(sent)) return encoded
  const isSent = (name: string, value: JsonValue) =>
    Object.hasOwn(sent, name) && JSON.stringify(sent[name]) === JSON.stringify(value)
  const members = Object.entries(encoded).map(([name, value]) => (isSent(name, value) ? [name] : [name, value]))
  return { '': 'changed', value: members }
}

function isPlainMembers(encoded: JsonValue | undefined): encoded is Readonly<Record<string, JsonValue>> {
  return isPlainObject(encoded) && !Object.hasOwn(encoded, '')
}

function encodeArgument(value: unknown): JsonValue {
  if (value === undefined) return { '': 'undefined' }
  if (typeof value === 'bigint') return { '': 'bigint', value: String(value) }
  if (typeof value === 'number' && !Number.isFinite(value)) return { '': 'number', value: String(value) }
  if (typeof value !== 'object' || value === null) return primitive(value)
  if (Array.isArray(value)) return value.map(encodeArgument)
  if (value instanceof Date) return { '': 'date', value: value.getTime() }
  if (value instanceof URL) return { '': 'url', value: value.href }
  if (value instanceof Set) return { '': 'set', value: [...value].map(encodeArgument) }
  if (value instanceof Map) return { '': 'map', value: [...value].map(encodeArgument) }
  if (!isPlainObject(value)) throw notSerializable('an instance of a class')
  // A member called '' would let ordinary data look like one of the encodings above.
  if (Object.hasOwn(value, '')) return { '': 'object', value: Object.entries(value).map(encodeArgument) }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, encodeArgument(member)]))
}

function decodeArgument(encoded: JsonValue): unknown {
  if (Array.isArray(encoded)) return encoded.map(decodeArgument)
  if (typeof encoded !== 'object' || encoded === null) return encoded
  const { value = null } = encoded as { readonly value?: JsonValue }
  switch ((encoded as { readonly ''?: JsonValue })['']) {
    case 'undefined':
      return undefined
    case 'bigint':
      return BigInt(String(value))
    case 'number':
      return Number(value)
    case 'date':
      return new Date(value as number)
    case 'url':
      return new URL(String(value))
    case 'set':
      return new Set(decodeArgument(value) as unknown[])
    case 'map':
      return new Map(decodeArgument(value) as [unknown, unknown][])
    case 'object':
      return Object.fromEntries(decodeArgument(value) as [string, unknown][])
    default:
      return Object.fromEntries(Object.entries(encoded).map(([name, member]) => [name, decodeArgument(member)]))
  }
}

function primitive(value: unknown): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  throw notSerializable(`a ${typeof value}`)
}

function notSerializable(what: string): AssentError {
  const advice = 'Let the input schema leave it as JSON and convert it inside the handler'
  return new AssentError('misconfigured', `The arguments of this call contain ${what}, which is not JSON. ${advice}.`)
}
