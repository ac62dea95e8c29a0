// The digest of a call, so that its state opens only for the same call.
//
// Arguments are the output of the server's schema, so they may contain values that JSON cannot: each such value gets an
// encoding of its own. A value without an encoding is refused, because two different calls would share one digest.

import { AssentError, isPlainObject, type JsonValue, requestDigest } from '@assent/core'

export type CallKind = 'tool' | 'prompt' | 'resource'

const methods = { tool: 'tools/call', prompt: 'prompts/get', resource: 'resources/read' } as const

export function callDigest(kind: CallKind, name: string, given: readonly unknown[]): string {
  return requestDigest({ method: methods[kind], target: name, arguments: { given: asJson(given) } })
}

function asJson(value: unknown): JsonValue {
  if (value === undefined) return { '': 'undefined' }
  if (typeof value === 'bigint') return { '': 'bigint', value: String(value) }
  if (typeof value === 'number' && !Number.isFinite(value)) return { '': 'number', value: String(value) }
  if (typeof value !== 'object' || value === null) return primitive(value)
  if (Array.isArray(value)) return value.map(asJson)
  if (value instanceof Date) return { '': 'date', value: value.getTime() }
  if (value instanceof URL) return { '': 'url', value: value.href }
  if (value instanceof Set) return { '': 'set', value: [...value].map(asJson) }
  if (value instanceof Map) return { '': 'map', value: [...value].map(asJson) }
  if (!isPlainObject(value)) throw notSerializable('an instance of a class')
  // A member called '' would let ordinary data look like one of the encodings above.
  if (Object.hasOwn(value, '')) return { '': 'object', value: Object.entries(value).map(asJson) }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asJson(member)]))
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
