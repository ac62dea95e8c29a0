// The body of a stored message: sealed for one principal, one message and a short time.
//
// A client's answers must not be readable in the database, and a row without our seal was not written by a gateway. A
// long body is sealed in parts, each bound to its position.

import { isPlainObject, type JsonObject, type KeyRing, requestDigest, seal, unseal } from '@assent/core'
import { clusterLimits } from '../limits.ts'
import { readOwnJson } from '../protocol/own-json.ts'
import { randomBytes } from '../protocol/random.ts'

const purpose = 'message'

interface Address {
  readonly id: string
  readonly tenant: string
  readonly principal: string
  readonly nowMs: number
}

export function sealMessage(keys: KeyRing, to: Address, body: JsonObject): string {
  const text = JSON.stringify(body)
  const count = Math.ceil(text.length / clusterLimits.messagePartChars)
  const parts = Array.from({ length: count }, (_, part) => {
    const piece = text.slice(part * clusterLimits.messagePartChars, (part + 1) * clusterLimits.messagePartChars)
    const ttlMs = clusterLimits.messageSealMs
    return seal(keys, { ...bindingOf(to, part, count), ttlMs }, piece, { nowMs: to.nowMs, random: randomBytes })
  })
  return parts.join('\n')
}

/** Undefined for a body that was not sealed with these keys for this address. */
export function openMessage(keys: KeyRing, to: Address, body: string): JsonObject | undefined {
  const parts = body.split('\n')
  let text = ''
  for (const [part, sealed] of parts.entries()) {
    const opened = unseal(keys, sealed, { ...bindingOf(to, part, parts.length), nowMs: to.nowMs })
    if (!opened.ok || typeof opened.payload !== 'string') return undefined
    text += opened.payload
  }
  const read = readOwnJson(text)
  return isPlainObject(read) ? (read as JsonObject) : undefined
}

function bindingOf({ id, tenant, principal }: Address, part: number, count: number) {
  const digest = requestDigest({ method: purpose, target: id, arguments: { tenant, part, count } })
  return { principal, purpose, requestDigest: digest }
}
