// Tokens of one key ring, and why one is refused.

import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { requestDigest } from '../digest/action.ts'
import type { JsonValue } from '../json.ts'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import { type SealRefusal, seal, stateRefused, unseal } from './seal.ts'

export const random = (count: number) => new Uint8Array(randomBytes(count))
export const aKey = (id: string) => ({ id, secret: random(32) })
export const noonMs = Date.UTC(2026, 6, 28, 12)
export const hourMs = 60 * 60 * 1_000
export const ring = createKeyRing([aKey('k1')])
export const aRequest = requestDigest({ method: 'tools/call', target: 'deploy', arguments: { env: 'prod' } })
export const binding = { principal: 'https://id.example#ada', purpose: 'resume', requestDigest: aRequest }
export const expected = { ...binding, nowMs: noonMs }

export function sealed(payload: JsonValue = { step: 1 }, by: KeyRing = ring): string {
  return seal(by, { ...binding, ttlMs: hourMs }, payload, { nowMs: noonMs, random })
}

/** Why a token was refused, or `accepted`. Also checks that the refusal itself reveals nothing. */
export function verdict(
  token: unknown,
  changed: Partial<typeof expected> = {},
  by: KeyRing = ring,
): SealRefusal | 'accepted' {
  let reason: SealRefusal | 'accepted' = 'accepted'
  const result = unseal(by, token, { ...expected, ...changed }, (why) => {
    reason = why
  })
  if (reason !== 'accepted') expect(result).toBe(stateRefused)
  expect(result.ok).toBe(reason === 'accepted')
  return reason
}
