// Encrypts a secret in the browser for the server that asked: HPKE (RFC 9180) in base mode, as the sdk opens it.
//
// Page, server and person are bound to it, so it opens nowhere else. What is typed never leaves this file unencrypted, and
// its length is hidden among others.

import type { SealedSecret, SecretView } from '@assent/core'
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from 'hpke'

const label = 'assent secret v1'
const lengthBytes = 4
const paddedTo = 256
export const secretBytesMost = 16_384

/** Browsers encrypt only on pages that nobody on the way can have changed. */
export const canSeal: boolean = globalThis.isSecureContext && crypto.subtle !== undefined

export function isTooLong(secret: string): boolean {
  return new TextEncoder().encode(secret).length > secretBytesMost
}

export async function sealSecret(
  secret: string,
  { page, publicKey, server, principal }: SecretView,
): Promise<SealedSecret> {
  const suite = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM)
  const text = new TextEncoder()
  const aad = text.encode(JSON.stringify([label, page, server, principal]))
  const key = await suite.DeserializePublicKey(fromBase64url(publicKey))
  const sealed = await suite.Seal(key, padded(text.encode(secret)), { aad, info: text.encode(label) })
  return { enc: toBase64url(sealed.encapsulatedSecret), ct: toBase64url(sealed.ciphertext) }
}

function padded(bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(Math.ceil((lengthBytes + bytes.length) / paddedTo) * paddedTo)
  new DataView(all.buffer).setUint32(0, bytes.length)
  all.set(bytes, lengthBytes)
  return all
}

function toBase64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64url(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
}
