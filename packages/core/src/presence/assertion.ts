// A passkey's signature over one challenge, and its verification without any other source.
//
// WebAuthn signs the authenticator's data and the SHA-256 of the client's data, which contains the challenge and the
// origin (https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion). This module checks all of it with the public key
// beside the signature. Whether that key belongs to the person is the caller's to check.

import { Buffer } from 'node:buffer'
import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto'
import { readJson } from '../digest/parse.ts'
import { isAssentError } from '../errors.ts'
import { isPlainObject } from '../json.ts'
import { presenceLimits } from '../limits.ts'

export const passkeyAlgorithms = ['ES256', 'EdDSA', 'RS256'] as const
export type PasskeyAlgorithm = (typeof passkeyAlgorithms)[number]

/** What the browser returns. All texts are base64url. */
export interface AssertionResponse {
  readonly credentialId: string
  readonly clientData: string
  readonly authenticatorData: string
  readonly signature: string
}

/** The response with everything that its verification needs. It is stored with the decision that it proves. */
export interface Assertion extends AssertionResponse {
  /** SubjectPublicKeyInfo in DER, in base64url. */
  readonly publicKey: string
  readonly algorithm: PasskeyAlgorithm
  /** The host that the key was made for. */
  readonly rpId: string
  /** Of the page that asked for the signature. */
  readonly origin: string
  readonly nonce: string
  /** As in `PresenceTerms`. */
  readonly actionDigest: string
}

export type AssertionCheck =
  | { readonly ok: true; readonly signCount: number }
  | { readonly ok: false; readonly problem: string }

const keyTypes: Readonly<Record<PasskeyAlgorithm, string>> = { ES256: 'ec', EdDSA: 'ed25519', RS256: 'rsa' }
const userPresent = 0x01
const userVerified = 0x04
/** The hash of the host, the flags and the counter. */
const leastBytes = 37

export function verifyAssertion(assertion: Assertion, challenge: Uint8Array): AssertionCheck {
  const read = bytesOf(assertion)
  if (read === undefined) return fail('it is not complete')
  const { clientData, authenticatorData, signature, publicKey } = read
  const problem = clientProblem(clientData, assertion.origin, challenge)
  if (problem !== undefined) return fail(problem)

  const rpIdHash = hash('sha256', assertion.rpId, 'hex')
  if (authenticatorData.length < leastBytes) return fail('its authenticator data is too short')
  if (Buffer.from(authenticatorData.subarray(0, 32)).toString('hex') !== rpIdHash) return fail('it is for another host')
  const flags = authenticatorData[32] ?? 0
  if ((flags & userPresent) === 0) return fail('no person was present')
  if ((flags & userVerified) === 0) return fail('the person was not verified')

  const key = keyOf(publicKey, assertion.algorithm)
  if (key === undefined) return fail('its public key cannot be used')
  const signed = Buffer.concat([authenticatorData, hash('sha256', clientData, 'buffer')])
  const digest = assertion.algorithm === 'EdDSA' ? null : 'sha256'
  if (!isVerified(digest, signed, key, signature)) return fail('the signature is not by its key')
  const [a = 0, b = 0, c = 0, d = 0] = authenticatorData.subarray(33, leastBytes)
  return { ok: true, signCount: ((a * 256 + b) * 256 + c) * 256 + d }
}

/** Whether a value from outside has the shape of a response. */
export function isAssertionResponse(value: unknown): value is AssertionResponse {
  if (!isPlainObject(value)) return false
  const { credentialId, clientData, authenticatorData, signature } = value
  return [credentialId, clientData, authenticatorData, signature].every(isEncoded)
}

export function isAssertion(value: unknown): value is Assertion {
  if (!isPlainObject(value) || !isAssertionResponse(value)) return false
  const { publicKey, algorithm, rpId, origin, nonce, actionDigest } = value as Readonly<Record<string, unknown>>
  if (!isEncoded(publicKey) || !passkeyAlgorithms.some((one) => one === algorithm)) return false
  return [rpId, origin, nonce, actionDigest].every((text) => typeof text === 'string')
}

function isEncoded(value: unknown): value is string {
  return typeof value === 'string' && value.length <= presenceLimits.encodedChars && /^[\w-]+$/.test(value)
}

function bytesOf({ clientData, authenticatorData, signature, publicKey }: Assertion) {
  const texts = { clientData, authenticatorData, signature, publicKey }
  const all = Object.entries(texts).map(([name, text]) => [name, Buffer.from(text, 'base64url')] as const)
  // Only the canonical encoding: otherwise one signature would have several spellings.
  if (
    all.some(([name, bytes]) => bytes.length === 0 || bytes.toString('base64url') !== texts[name as keyof typeof texts])
  )
    return undefined
  return Object.fromEntries(all) as Record<keyof typeof texts, Buffer>
}

function clientProblem(clientData: Buffer, origin: string, challenge: Uint8Array): string | undefined {
  const read = parsed(clientData.toString('utf8'))
  if (!isPlainObject(read)) return 'its client data cannot be read'
  if (read.type !== 'webauthn.get') return 'it is not a signature for a decision'
  if (read.challenge !== Buffer.from(challenge).toString('base64url')) return 'it is for another decision'
  if (read.origin !== origin) return 'it was made on another page'
  return read.crossOrigin === true ? 'it was made inside a page of another site' : undefined
}

function parsed(text: string): unknown {
  try {
    return readJson(text, { depth: presenceLimits.clientDataDepth, halfPairs: 'refuse', numbers: 'exact' })
  } catch (error) {
    if (isAssentError(error)) return undefined
    throw error
  }
}

function keyOf(der: Buffer, algorithm: PasskeyAlgorithm): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return key.asymmetricKeyType === keyTypes[algorithm] ? key : undefined
  } catch {
    // Not a key that this platform can read.
    return undefined
  }
}

function isVerified(digest: 'sha256' | null, data: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  try {
    return verify(digest, data, key, signature)
  } catch {
    // A signature that is not in the format of its algorithm.
    return false
  }
}

function fail(problem: string): AssertionCheck {
  return { ok: false, problem }
}
