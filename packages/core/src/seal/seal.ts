// State that leaves us and comes back through hands we do not trust.
//
// A token is `assent1.<key id>.<base64url of salt, nonce, ciphertext, tag>`, AES-256-GCM with all that precedes the
// base64url as associated data. It opens only for the principal, purpose and request it was sealed for, and only
// before its expiry. Every failure is the same frozen value, so a refusal teaches nothing. What this module cannot
// know is whether a token was used before: it returns the id, and the store uses ids up.

import { Buffer } from 'node:buffer'
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { isDigest } from '../digest/digest.ts'
import { type ReadingRules, readJson } from '../digest/parse.ts'
import { AssentError } from '../errors.ts'
import { newId, type RandomBytes } from '../ids.ts'
import type { JsonValue } from '../json.ts'
import { askLimits, sealLimits } from '../limits.ts'
import type { KeyRing } from './key-ring.ts'

/** What a token is bound to. All of it must be the same when it comes back. */
export interface SealBinding {
  /** Who holds it, including who vouches for them: issuer and subject, not a bare name. */
  readonly principal: string
  /** What it is for, so that state of one kind cannot be handed in as another. */
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

/** For our own logs only; whoever handed the token in must not learn it. */
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
const saltBytes = 16
const nonceBytes = 12
const tagBytes = 16
/** An action at its deepest with room for what is wrapped around it; and upstream state is not ours to correct. */
const contentRules: ReadingRules = { depth: 2 * askLimits.actionDepth, halfPairs: 'keep', numbers: 'exact' }
const openBrace = 0x7b
const openBracket = 0x5b
const tokenPattern = new RegExp(`^(${version}\\.([a-z0-9_-]{1,32})\\.)([A-Za-z0-9_-]+)$`)

/** The payload comes back as JSON gives it back; text in it unchanged to the last unit, half surrogate pairs too. */
export function seal(
  ring: KeyRing,
  binding: SealBinding & { readonly ttlMs: number },
  payload: JsonValue,
  { nowMs, random }: { readonly nowMs: number; readonly random: RandomBytes },
): string {
  const { principal, purpose, requestDigest, ttlMs } = binding
  // Empty would bind to everybody whose name was lost on the way.
  if (principal === '' || purpose === '') throw misused('Sealed state needs a principal and a purpose.')
  if (!isDigest(requestDigest)) throw misused('Sealed state is bound to the digest of a request.')
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1 || ttlMs > sealLimits.ttlMaxMs) {
    throw new AssentError('limit_exceeded', `Sealed state lives between 1 and ${sealLimits.ttlMaxMs} ms.`)
  }
  const fresh = random(saltBytes + nonceBytes)
  if (fresh.length !== saltBytes + nonceBytes) throw misused('The random source returned the wrong number of bytes.')
  const salt = fresh.subarray(0, saltBytes)
  const nonce = fresh.subarray(saltBytes)

  const id = newId('state', nowMs, random)
  const content: Content = [id, principal, purpose, requestDigest, nowMs + ttlMs, payload]
  const text = JSON.stringify(content)
  if (text.length > sealLimits.tokenBytes) throw tooLarge()
  // What we could not open again must not leave. Text of our own writing can only be too deep, and that takes openings.
  if (countOpenings(text) > contentRules.depth) readJson(text, contentRules)
  const head = `${version}.${ring.sealing.id}.`
  const cipher = createCipheriv('aes-256-gcm', ring.sealing.tokenKey(salt), nonce)
  cipher.setAAD(Buffer.from(head, 'utf8'))
  const sealed = [fresh, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  const token = head + Buffer.concat(sealed).toString('base64url')
  if (token.length > sealLimits.tokenBytes) throw tooLarge()
  return token
}

function tooLarge(): AssentError {
  return new AssentError('limit_exceeded', `Sealed state would be larger than ${sealLimits.tokenBytes} bytes.`)
}

/** Takes anything at all, because what comes back is the sender's choice. Never throws for what it was handed. */
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
 * Whether a token was made here, for this principal and purpose, and has not expired; for those who judge it before the
 * request is known. It gives nothing of what is inside: that takes `unseal`, and the very request it was made for.
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
  const [, head, keyId, body] = parts as unknown as readonly [whole: string, head: string, keyId: string, body: string]
  const bytes = Buffer.from(body, 'base64url')
  // Decoding is lenient about leftover bits, so one token would have several spellings; only ours is accepted.
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

/** JSON.parse can mistake names that are spelled with escapes, see digest/parse.ts; text without any is safe with it. */
function readContent(text: string): Content {
  return (text.includes('\\') ? readJson(text, contentRules) : JSON.parse(text)) as unknown as Content
}

/** Of lists and objects; those inside texts count too, which is for the reader to tell apart. */
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
  // Spelled so that a time that is no number counts as late.
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
