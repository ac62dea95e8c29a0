// Options for browsers, and what browsers return: the formats of WebAuthn.
//
// Registrations are verified by `@simplewebauthn/server`, loaded with the first registration. Signatures are verified by
// core, which also verifies them offline.

import { createPublicKey } from 'node:crypto'
import {
  type AssertionResponse,
  isAssertionResponse,
  isPlainObject,
  type PasskeyAlgorithm,
  type PasskeyCreationView,
  type PasskeyRequestView,
} from '@assent/core'
import type { Passkey } from '@assent/store'
import { inboxLimits } from '../limits.ts'
import type { RelyingParty } from './challenges.ts'

/** COSE identifiers (https://www.iana.org/assignments/cose). */
const algorithms: Readonly<Record<number, PasskeyAlgorithm>> = { [-7]: 'ES256', [-8]: 'EdDSA', [-257]: 'RS256' }
const algorithmIds = Object.keys(algorithms).map(Number)

export interface RegisteredCredential {
  readonly credentialId: string
  readonly publicKey: string
  readonly algorithm: PasskeyAlgorithm
  readonly signCount: number
}

export interface NewCredential {
  readonly party: RelyingParty
  readonly challenge: Uint8Array
  /** The person's name, shown by the authenticator. */
  readonly userName: string
  /** Identifies the person to the authenticator; not their name. */
  readonly userId: Uint8Array
  readonly existing: readonly Pick<Passkey, 'credentialId'>[]
}

export async function creationOptions(wanted: NewCredential): Promise<PasskeyCreationView> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const { party, challenge, userName, userId, existing } = wanted
  const options = await generateRegistrationOptions({
    rpName: 'Assent',
    rpID: party.rpId,
    userName,
    userID: new Uint8Array(userId),
    challenge: new Uint8Array(challenge),
    timeout: inboxLimits.challengeMs,
    attestationType: 'none',
    supportedAlgorithmIDs: algorithmIds,
    excludeCredentials: existing.map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  })
  return { ...options }
}

export function requestOptions(
  { rpId }: RelyingParty,
  challenge: Uint8Array,
  keys: readonly Pick<Passkey, 'credentialId'>[],
): PasskeyRequestView {
  return {
    challenge: Buffer.from(challenge).toString('base64url'),
    rpId,
    timeout: inboxLimits.challengeMs,
    userVerification: 'required',
    allowCredentials: keys.map(({ credentialId }) => ({ type: 'public-key', id: credentialId })),
  }
}

/** Undefined for anything but a valid registration for this challenge, made on our page by a verified person. */
export async function readRegistration(
  raw: unknown,
  challenge: Uint8Array,
  { rpId, origin }: RelyingParty,
): Promise<RegisteredCredential | undefined> {
  if (!isPlainObject(raw)) return undefined
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers')
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: raw as unknown as Parameters<typeof verifyRegistrationResponse>[0]['response'],
      expectedChallenge: Buffer.from(challenge).toString('base64url'),
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithmIds,
    })
    if (!verified) return undefined
    const { id, publicKey, counter } = registrationInfo.credential
    return { credentialId: id, signCount: counter, ...spkiOf(decodeCredentialPublicKey(publicKey)) }
  } catch {
    // The package throws for every invalid registration.
    return undefined
  }
}

/** The signature in what `navigator.credentials.get` returned. */
export function readAssertion(raw: unknown): AssertionResponse | undefined {
  if (!isPlainObject(raw) || !isPlainObject(raw.response)) return undefined
  const { clientDataJSON: clientData, authenticatorData, signature } = raw.response
  const response = { credentialId: raw.id, clientData, authenticatorData, signature }
  return isAssertionResponse(response) ? response : undefined
}

/** A COSE key as SubjectPublicKeyInfo, which every platform can read. Throws for other kinds of keys. */
function spkiOf(cose: { get(key: number): unknown }): Pick<RegisteredCredential, 'publicKey' | 'algorithm'> {
  const algorithm = algorithms[Number(cose.get(3))]
  if (algorithm === undefined) throw new Error('Unsupported algorithm.')
  const bytes = (label: number) => Buffer.from(cose.get(label) as Uint8Array).toString('base64url')
  const jwk = {
    ES256: () => ({ kty: 'EC', crv: 'P-256', x: bytes(-2), y: bytes(-3) }),
    EdDSA: () => ({ kty: 'OKP', crv: 'Ed25519', x: bytes(-2) }),
    RS256: () => ({ kty: 'RSA', n: bytes(-1), e: bytes(-2) }),
  }[algorithm]()
  const der = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' })
  return { publicKey: der.toString('base64url'), algorithm }
}
