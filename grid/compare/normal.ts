// Normalizes what a client saw: everything is compared, except what must differ.
//
// - What revision 2026-07-28 adds to results is left out if the two sides use different generations.
// - A code that revision 2026-07-28 replaced is written as its replacement, likewise.
// - A server that cannot be reached is "broken", whatever the error text: without the gateway the client's SDK reports
//   it, through the gateway it is an error that names the server.

import { isPlainObject, type JsonObject } from '@assent/core'
import type { Question, Seen } from './caller.ts'

export interface Sides {
  /** The two sides use different generations. */
  readonly isMixed: boolean
}

const onlyIn2026 = ['resultType', 'ttlMs', 'cacheScope']
const serverInfoKey = 'io.modelcontextprotocol/serverInfo'
/** "The resource was not found" of the older revisions; 2026-07-28 has "invalid params" for it. */
const replacedCodes: Readonly<Record<number, number>> = { [-32_002]: -32_602 }
/** The gateway's error code for an unavailable server, and how its message begins. */
const awayCode = -32_000
const awayWords = /^The server\b/

export function normalSeen(seen: Seen, sides: Sides): unknown {
  if ('broken' in seen) return 'broken'
  if ('error' in seen) {
    const { code, message, data } = seen.error
    if (code === awayCode && awayWords.test(message)) return 'broken'
    return {
      error: {
        code: sides.isMixed ? (replacedCodes[code] ?? code) : code,
        message,
        ...(data === undefined ? {} : { data }),
      },
    }
  }
  return { result: normalResult(seen.result, sides) }
}

function normalResult(result: JsonObject, { isMixed }: Sides): JsonObject {
  if (!isMixed) return result
  const kept = Object.entries(result).filter(([name]) => !onlyIn2026.includes(name) && name !== '_meta')
  const meta = Object.entries(isPlainObject(result._meta) ? result._meta : {}).filter(
    ([name]) => name !== serverInfoKey,
  )
  // Null is kept, because a server that writes it is one of the cases.
  if (result._meta === null) kept.push(['_meta', null])
  else if (meta.length > 0) kept.push(['_meta', Object.fromEntries(meta) as JsonObject])
  return Object.fromEntries(kept)
}

/** A server's description of itself, wherever its revision puts it. */
export function normalDescription(described: JsonObject): unknown {
  const meta = isPlainObject(described._meta) ? described._meta : {}
  const { capabilities, instructions, serverInfo = meta[serverInfoKey] } = described
  return { capabilities, serverInfo, instructions }
}

/** A question without its mode: 2025-06-18 has none, and an absent mode means form. */
export function normalQuestion({ method, params }: Question): unknown {
  const { mode, _meta, ...rest } = params
  return { method, params: mode === 'url' ? { mode, ...rest } : rest }
}

/** A notification without the ids of its request and subscription, which the client chooses. */
export function normalNotification({ method, params }: Question): unknown {
  const { progressToken: _token, _meta, ...rest } = params
  const meta = Object.entries(isPlainObject(_meta) ? _meta : {}).filter(
    ([name]) => !name.startsWith('io.modelcontextprotocol/'),
  )
  const kept = meta.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(meta) as JsonObject }
  return Object.keys(kept).length === 0 ? { method } : { method, params: kept }
}

/** With object members in a fixed order, so that equal values have equal text. */
export function textOf(value: unknown): string {
  return JSON.stringify(ordered(value)) ?? 'undefined'
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isPlainObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, ordered(value[name])]))
}
