// What a call is about, named so that its state opens for the same call again and for no other.
//
// Arguments come as the server's schema made them, so they may hold what JSON cannot: each such value is given a
// spelling of its own. What has no spelling is refused, because two different calls would share one name.

import { AssentError, isPlainObject, type JsonValue, requestDigest } from '@assent/core'

export type CallKind = 'tool' | 'prompt' | 'resource'

const methods = { tool: 'tools/call', prompt: 'prompts/get', resource: 'resources/read' } as const

export function requestOf(kind: CallKind, name: string, given: readonly unknown[]): string {
  return requestDigest({ method: methods[kind], target: name, arguments: { given: spelled(given) } })
}

function spelled(value: unknown): JsonValue {
  if (value === undefined) return { '': 'undefined' }
  if (typeof value === 'bigint') return { '': 'bigint', value: String(value) }
  if (typeof value === 'number' && !Number.isFinite(value)) return { '': 'number', value: String(value) }
  if (typeof value !== 'object' || value === null) return primitive(value)
  if (Array.isArray(value)) return value.map(spelled)
  if (value instanceof Date) return { '': 'date', value: value.getTime() }
  if (value instanceof URL) return { '': 'url', value: value.href }
  if (value instanceof Set) return { '': 'set', value: [...value].map(spelled) }
  if (value instanceof Map) return { '': 'map', value: [...value].map(spelled) }
  if (!isPlainObject(value)) throw unnameable('an instance of a class')
  // A member called '' would let plain data look like one of the spellings above.
  if (Object.hasOwn(value, '')) return { '': 'object', value: Object.entries(value).map(spelled) }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, spelled(member)]))
}

function primitive(value: unknown): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  throw unnameable(`a ${typeof value}`)
}

function unnameable(what: string): AssentError {
  const advice = 'Let the input schema leave it as JSON and convert it inside the handler'
  return new AssentError('misconfigured', `The arguments of this call hold ${what}, which cannot be named. ${advice}.`)
}
