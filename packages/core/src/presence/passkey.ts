// A person's passkey as it is stored: the public key, and for whom and which host it was made. And the challenges for
// adding and removing one.

import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import type { KeyRing } from '../seal/key-ring.ts'
import type { PasskeyAlgorithm } from './assertion.ts'

/** The parts that never change, which the signature of the row covers. */
export interface PasskeyTerms {
  readonly tenant: string
  readonly id: string
  readonly principal: string
  /** base64url, chosen by the authenticator. */
  readonly credentialId: string
  /** SubjectPublicKeyInfo in DER, in base64url. */
  readonly publicKey: string
  readonly algorithm: PasskeyAlgorithm
  readonly rpId: string
  /** The person's name for it. */
  readonly name: string
}

export function signPasskey(ring: KeyRing, terms: PasskeyTerms): string {
  const { id, mac } = ring.sealing
  return `v1.${id}.${Buffer.from(mac('passkey', statementOf(terms))).toString('base64url')}`
}

/** Whether a stored key carries the signature of a key in the ring. */
export function isSignedPasskey(ring: KeyRing, terms: PasskeyTerms, signature: string): boolean {
  const [, keyId = ''] = signature.split('.')
  const key = ring.find(keyId)
  return key !== undefined && signPasskey({ sealing: key, all: [key], find: () => key }, terms) === signature
}

function statementOf({ tenant, id, principal, credentialId, publicKey, algorithm, rpId, name }: PasskeyTerms): string {
  return JSON.stringify(['assent passkey v1', tenant, id, principal, credentialId, publicKey, algorithm, rpId, name])
}

/** What a person does with their passkeys: adding one, or removing the one with this id. */
export interface PasskeyChange {
  readonly tenant: string
  readonly by: string
  readonly change: 'create' | 'authorise' | 'remove'
  /** For `remove` the id of the key; for `authorise` the digest of the new key (`newPasskeyDigest`); else empty. */
  readonly passkey: string
  readonly nonce: string
}

/** What an authorisation covers: exactly this new key, under this name. */
export function newPasskeyDigest(key: Pick<PasskeyTerms, 'credentialId' | 'publicKey' | 'name'>): string {
  const statement = ['assent new passkey v1', key.credentialId, key.publicKey, key.name]
  return Buffer.from(hash('sha256', JSON.stringify(statement), 'buffer')).toString('base64url')
}

export function passkeyChallenge({ tenant, by, change, passkey, nonce }: PasskeyChange): Uint8Array {
  const statement = ['assent passkey change v1', tenant, by, change, passkey, nonce]
  return hash('sha256', JSON.stringify(statement), 'buffer')
}
