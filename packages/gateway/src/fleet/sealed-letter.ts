// A letter's body as it lies in the store: sealed, for one person, one letter and a short time.
//
// What a client answered is nobody else's to read, not even whoever can read the database; and what lies there without our
// seal was not written by a gateway. A long body is sealed in parts, each bound to its place.

import { isPlainObject, type JsonObject, type KeyRing, requestDigest, seal, unseal } from '@assent/core'
import { fleetLimits } from '../limits.ts'
import { readOwnJson } from '../wire/own-json.ts'
import { randomBytes } from '../wire/random.ts'

const purpose = 'letter'

interface Address {
  readonly id: string
  readonly tenant: string
  readonly principal: string
  readonly nowMs: number
}

export function sealLetter(keys: KeyRing, to: Address, body: JsonObject): string {
  const text = JSON.stringify(body)
  const count = Math.ceil(text.length / fleetLimits.letterPartChars)
  const parts = Array.from({ length: count }, (_, part) => {
    const piece = text.slice(part * fleetLimits.letterPartChars, (part + 1) * fleetLimits.letterPartChars)
    const ttlMs = fleetLimits.letterSealMs
    return seal(keys, { ...bindingOf(to, part, count), ttlMs }, piece, { nowMs: to.nowMs, random: randomBytes })
  })
  return parts.join('\n')
}

/** Undefined for what no gateway of these keys wrote to this address. */
export function openLetter(keys: KeyRing, to: Address, body: string): JsonObject | undefined {
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
