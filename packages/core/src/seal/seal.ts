// Sealed state: encrypted and authenticated state that an untrusted client keeps and sends back.
//
// A token is `assent1.<key id>.<base64url of salt, nonce, ciphertext, tag>`, AES-256-GCM with all that precedes the
// base64url as associated data. It opens only for the principal, purpose and request it was sealed for, and only
// before its expiry. Every failure is the same frozen value, so a refusal reveals nothing. This module does
// not detect reuse: it returns the id, and the store records used ids.

import { Buffer } from 'node:buffer'
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { isDigest } from '../digest/digest.ts'
import { type ReadingRules, readJson } from '../digest/parse.ts'
import { AssentError } from '../errors.ts'
import { newId, type RandomBytes } from '../ids.ts'
import type { JsonValue } from '../json.ts'
import { askLimits, sealLimits } from '../limits.ts'
import { exactly, type KeyRing, saltBytes } from './key-ring.ts'

/** What a token is bound to. All of it must match when the token is opened. */
export interface SealBinding {
  /** The holder, with the issuer of their identity: issuer and subject, not only a name. */
  readonly principal: string
  /** The purpose, so that state of one kind cannot be used as another. */
  readonly purpose: string
  readonly requestDigest: string
}

export const stateRefused = Object.freeze({
  ok: false,
  code: 'state_refused',
  message: 'This state is not valid for this request.',
} as const)

export type Unsealed =
  | { readonly ok: true; readonly id: string; readonly payload: JsonValue; readonly expiresAtMs: number }
  | typeof stateRefused

/** For our own logs only; the client must not learn it. */
export type SealRefusal =
  | 'malformed'
  | 'unknown-key'
  | 'tampered'
  | 'expired'
  | 'other-principal'
  | 'other-purpose'
  | 'other-request'

type Content = readonly [
  id: string,
  principal: string,
  purpose: string,
  requestDigest: string,
  expiresAtMs: number,
  payload: JsonValue,
]

const version = 'assent1'
const nonceBytes = 12
const tagBytes = 16
/** The deepest action and what is around it. Unpaired surrogates are kept, because server state must not change. */
const contentRules: ReadingRules = { depth: 2 * askLimits.actionDepth, halfPairs: 'keep', numbers: 'exact' }
const openBrace = 0x7b
const openBracket = 0x5b
const tokenPattern = new RegExp(`^(${version}\\.([a-z0-9_-]{1,32})\\.)([A-Za-z0-9_-]+)$`)

/** The payload is returned as after JSON.parse; text in it is unchanged, including half surrogate pairs. */
export function seal(
  ring: KeyRing,
  binding: SealBinding & { readonly ttlMs: number },
  payload: JsonValue,
  { nowMs, random }: { readonly nowMs: number; readonly random: RandomBytes },
): string {
  const { principal, purpose, requestDigest, ttlMs } = binding
  // An empty name would match every caller whose name is missing.
  if (principal === '' || purpose === '') throw misused('Sealed state needs a principal and a purpose.')
  if (!isDigest(requestDigest)) throw misused('Sealed state is bound to the digest of a request.')
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1 || ttlMs > sealLimits.ttlMaxMs) {
    throw new AssentError('limit_exceeded', `The lifetime of sealed state is between 1 and ${sealLimits.ttlMaxMs} ms.`)
  }
  const salt = ring.sealing.nextSalt(random)
  const nonce = exactly(nonceBytes, random)

  const id = newId('state', nowMs, random)
  const content: Content = [id, principal, purpose, requestDigest, nowMs + ttlMs, payload]
  const text = JSON.stringify(content)
  if (text.length > sealLimits.tokenBytes) throw tooLarge()
  // A token that cannot be opened again must not be made. The only possible reason is depth, which needs brackets.
  if (countOpenings(text) > contentRules.depth) readJson(text, contentRules)
  const head = `${version}.${ring.sealing.id}.`
  const cipher = createCipheriv('aes-256-gcm', ring.sealing.tokenKey(salt), nonce)
  cipher.setAAD(Buffer.from(head, 'utf8'))
  const sealed = [salt, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  const token = head + Buffer.concat(sealed).toString('base64url')
  if (token.length > sealLimits.tokenBytes) throw tooLarge()
  return token
}

function tooLarge(): AssentError {
  return new AssentError('limit_exceeded', `Sealed state would be larger than ${sealLimits.tokenBytes} bytes.`)
}

/** Accepts any value, because the sender is untrusted. Never throws because of the token. */
export function unseal(
  ring: KeyRing,
  token: unknown,
  expected: SealBinding & { readonly nowMs: number },
  onRefused?: (reason: SealRefusal) => void,
): Unsealed {
  const content = open(ring, token)
  if (typeof content === 'string') return refuse(content, onRefused)
  const difference = mismatch(content, expected)
  if (difference !== undefined) return refuse(difference, onRefused)
  const [id, , , , expiresAtMs, payload] = content
  return { ok: true, id, payload, expiresAtMs }
}

/**
 * Whether a token was sealed with this ring, for this principal and purpose, and has not expired; for checks before the
 * request is known. It does not return the payload: that takes `unseal` and the request it was sealed for.
 */
export function isSealedFor(
  ring: KeyRing,
  token: unknown,
  { principal, purpose, nowMs }: Omit<SealBinding, 'requestDigest'> & { readonly nowMs: number },
  onRefused?: (reason: SealRefusal) => void,
): boolean {
  const content = open(ring, token)
  const difference =
    typeof content === 'string' ? content : mismatch(content, { principal, purpose, requestDigest: content[3], nowMs })
  if (difference !== undefined) onRefused?.(difference)
  return difference === undefined
}

function open(ring: KeyRing, token: unknown): Content | SealRefusal {
  if (typeof token !== 'string' || token.length > sealLimits.tokenBytes) return 'malformed'
  const parts = tokenPattern.exec(token)
  if (parts === null) return 'malformed'
  const [, head, keyId, body] = parts as RegExpExecArray & readonly [string, string, string, string]
  const bytes = Buffer.from(body, 'base64url')
  // Decoding ignores leftover bits, so a token would have several encodings; only the canonical one is accepted.
  if (bytes.toString('base64url') !== body) return 'malformed'
  if (bytes.length <= saltBytes + nonceBytes + tagBytes) return 'malformed'

  const key = ring.find(keyId)
  if (key === undefined) return 'unknown-key'
  const salt = bytes.subarray(0, saltBytes)
  const nonce = bytes.subarray(saltBytes, saltBytes + nonceBytes)
  const decipher = createDecipheriv('aes-256-gcm', key.tokenKey(salt), nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(head, 'utf8'))
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  const text = decipher.update(bytes.subarray(saltBytes + nonceBytes, -tagBytes))
  try {
    return readContent(Buffer.concat([text, decipher.final()]).toString('utf8'))
  } catch {
    return 'tampered'
  }
}

/** JSON.parse can misread names with escapes, see digest/parse.ts; text without escapes is safe. */
function readContent(text: string): Content {
  return (text.includes('\\') ? readJson(text, contentRules) : JSON.parse(text)) as Content
}

/** Opening brackets of lists and objects, including those inside texts: an upper bound of the depth. */
function countOpenings(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === openBrace || unit === openBracket) count += 1
  }
  return count
}

function mismatch(content: Content, expected: SealBinding & { readonly nowMs: number }): SealRefusal | undefined {
  const [, principal, purpose, requestDigest, expiresAtMs] = content
  // Written so that a time that is not a number counts as expired.
  if (!(expected.nowMs < expiresAtMs)) return 'expired'
  if (principal !== expected.principal) return 'other-principal'
  if (purpose !== expected.purpose) return 'other-purpose'
  if (requestDigest !== expected.requestDigest) return 'other-request'
  return undefined
}

function refuse(reason: SealRefusal, onRefused?: (reason: SealRefusal) => void): typeof stateRefused {
  onRefused?.(reason)
  return stateRefused
}

function misused(message: string): AssentError {
  return new AssentError('misconfigured', message)
}
