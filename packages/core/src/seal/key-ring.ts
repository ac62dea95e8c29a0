// The keys for sealed state and for the signatures of decisions.
//
// The first key seals and signs; every key opens and verifies. To rotate: add the new key last, on every replica; then
// put it first; and when the longest lifetime has passed, remove the old one. Decisions that a removed key signed can
// no longer be verified.
// The secrets never leave this module: a ring returns only keys of tokens, and authentication codes.

import { Buffer } from 'node:buffer'
import { createSecretKey, hash, type KeyObject } from 'node:crypto'
import { AssentError } from '../errors.ts'
import type { RandomBytes } from '../ids.ts'
import { sealLimits } from '../limits.ts'

export interface SealKey {
  /** Public: it is written into every token. */
  readonly id: string
  /** 32 bytes from a cryptographic source; not a password. */
  readonly secret: Uint8Array
}

/** What an authentication code is for. A code is not valid for another purpose, because each has its own subkey. */
export type MacPurpose = 'ask' | 'vote' | 'grant' | 'passkey' | 'definition' | 'log'

/** A key of the ring. It returns keys of tokens and authentication codes, never its secret. */
export interface RingKey {
  readonly id: string
  /** The key of all tokens with this salt. */
  tokenKey(salt: Uint8Array): KeyObject
  /** The salt of the next token. */
  nextSalt(random: RandomBytes): Uint8Array
  /** HMAC-SHA-256 over the text, with the subkey of this purpose. */
  mac(purpose: MacPurpose, text: string): Uint8Array
}

export interface KeyRing {
  readonly sealing: RingKey
  /** Every key, the sealing one first. */
  readonly all: readonly RingKey[]
  find(id: string): RingKey | undefined
}

export const saltBytes = 16
const secretBytes = 32
/** Of SHA-256. */
const blockBytes = 64
const label = Buffer.from('assent seal v1\n', 'utf8')
const macLabels: Readonly<Record<MacPurpose, Uint8Array>> = {
  ask: Buffer.from('assent mac v1 ask\n', 'utf8'),
  vote: Buffer.from('assent mac v1 vote\n', 'utf8'),
  grant: Buffer.from('assent mac v1 grant\n', 'utf8'),
  passkey: Buffer.from('assent mac v1 passkey\n', 'utf8'),
  definition: Buffer.from('assent mac v1 definition\n', 'utf8'),
  log: Buffer.from('assent mac v1 log\n', 'utf8'),
}
const firstBlock = Uint8Array.of(1)
const idPattern = /^[a-z0-9][a-z0-9_-]{0,31}$/

export function createKeyRing(keys: readonly SealKey[]): KeyRing {
  const ringKeys = keys.map(ringKey)
  const byId = new Map(ringKeys.map((key) => [key.id, key]))
  const [sealing] = ringKeys
  if (sealing === undefined || keys.length > sealLimits.keys) {
    throw misconfigured(`A key ring holds between 1 and ${sealLimits.keys} keys.`)
  }
  if (byId.size !== keys.length) throw misconfigured('Two keys of the ring have the same id.')
  return Object.freeze({ sealing, all: ringKeys, find: (id: string) => byId.get(id) })
}

function ringKey({ id, secret }: SealKey): RingKey {
  if (!idPattern.test(id)) {
    throw misconfigured(
      'A key id is 1 to 32 lower-case letters, digits, "-" or "_", and begins with a letter or digit.',
    )
  }
  // Text has a length too, but every character that is not a digit would count as the byte 0.
  if (!(secret instanceof Uint8Array)) {
    throw misconfigured(
      `The secret of the key "${id}" is not a Uint8Array. Turn the output of \`openssl rand -base64 ${secretBytes}\` into one with \`Buffer.from(text, 'base64')\`.`,
    )
  }
  if (secret.length !== secretBytes) {
    throw misconfigured(
      `The key "${id}" has ${secret.length} bytes; it needs ${secretBytes}. Create one with \`openssl rand -base64 32\`.`,
    )
  }
  // `padded` copies the secret, so the caller may wipe its own bytes.
  const inner = padded(secret, 0x36)
  const outer = padded(secret, 0x5c)
  const macKeys = {
    ask: macKey(inner, outer, 'ask'),
    vote: macKey(inner, outer, 'vote'),
    grant: macKey(inner, outer, 'grant'),
    passkey: macKey(inner, outer, 'passkey'),
    definition: macKey(inner, outer, 'definition'),
    log: macKey(inner, outer, 'log'),
  }
  return Object.freeze({
    id,
    tokenKey: derivedKeys((salt) => deriveTokenKey(inner, outer, salt)),
    nextSalt: salts(),
    mac: (purpose: MacPurpose, text: string) => hmac(macKeys[purpose], Buffer.from(text, 'utf8')),
  })
}

/** A key prepared for HMAC: padded, for the inner and the outer hash. */
interface HmacKey {
  readonly inner: Uint8Array
  readonly outer: Uint8Array
}

/** HKDF-Expand (RFC 5869) for one block, as for tokens, with other labels. */
function macKey(inner: Uint8Array, outer: Uint8Array, purpose: MacPurpose): HmacKey {
  const key = hmac({ inner, outer }, Buffer.concat([macLabels[purpose], firstBlock]))
  return { inner: padded(key, 0x36), outer: padded(key, 0x5c) }
}

/** Our own HMAC-SHA-256 (RFC 2104), because the platform's takes five times as long to set up. */
function hmac({ inner, outer }: HmacKey, data: Uint8Array): Uint8Array {
  const hashed = hash('sha256', Buffer.concat([inner, data]), 'buffer')
  return hash('sha256', Buffer.concat([outer, hashed]), 'buffer')
}

/**
 * AES-GCM with random 96-bit nonces is safe for 2^32 messages under one key (NIST SP 800-38D, 8.3): at 10,000 tokens a
 * second that is five days. So a process changes the salt, from which the key is derived, long before that. Even if two
 * processes choose equal salts, which takes about 2^64 of them, it is unsafe only if their random nonces are equal too.
 */
function salts(): RingKey['nextSalt'] {
  let salt = new Uint8Array(0)
  let left = 0
  return (random) => {
    if (left === 0) {
      salt = exactly(saltBytes, random)
      left = sealLimits.tokensPerSalt
    }
    left -= 1
    return salt
  }
}

/** From a source that may be wrong. */
export function exactly(count: number, random: RandomBytes): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(random(count))
  if (bytes.length !== count) throw misconfigured('The random source returned the wrong number of bytes.')
  return bytes
}

/** Keeps the keys that were derived last. */
function derivedKeys(derive: (salt: Uint8Array) => KeyObject): RingKey['tokenKey'] {
  const derived = new Map<string, KeyObject>()
  return (salt) => {
    const name = Buffer.from(salt).toString('hex')
    const known = derived.get(name)
    if (known !== undefined) return known
    const key = derive(salt)
    const [oldest] = derived.keys()
    if (derived.size >= sealLimits.tokenKeys && oldest !== undefined) derived.delete(oldest)
    derived.set(name, key)
    return key
  }
}

/** HKDF-Expand (RFC 5869) for one block, the secret being uniformly random already. */
function deriveTokenKey(inner: Uint8Array, outer: Uint8Array, salt: Uint8Array): KeyObject {
  // The result is a key object: ciphers of Node 24 take 40 µs longer with raw bytes.
  return createSecretKey(hmac({ inner, outer }, Buffer.concat([label, salt, firstBlock])))
}

/** The secret, extended with zeros to the block size of the hash, with each byte XORed with the pad. */
function padded(secret: Uint8Array, pad: number): Uint8Array {
  return Uint8Array.from({ length: blockBytes }, (_, at) => (secret[at] ?? 0) ^ pad)
}

function misconfigured(message: string): AssentError {
  return new AssentError('misconfigured', message)
}
