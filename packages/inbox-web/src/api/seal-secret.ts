// Encrypts a secret in the browser for the server that asked: HPKE (RFC 9180) in base mode; the sdk decrypts it.
//
// The ciphertext is bound to page, server and person, so it cannot be used elsewhere. The secret leaves this file only
// encrypted, padded to hide its length.

import type { SealedSecret, SecretView } from '@assent/core'
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from 'hpke'
import { fromBase64url, toBase64url } from './base64url.ts'

const label = 'assent secret v1'
const lengthBytes = 4
const paddedTo = 256
export const maxSecretBytes = 16_384

/** Browsers offer encryption only on pages from a secure origin. */
export const canSeal: boolean = globalThis.isSecureContext && crypto.subtle !== undefined

export function isTooLong(secret: string): boolean {
  return new TextEncoder().encode(secret).length > maxSecretBytes
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
  const block = new Uint8Array(Math.ceil((lengthBytes + bytes.length) / paddedTo) * paddedTo)
  new DataView(block.buffer).setUint32(0, bytes.length)
  block.set(bytes, lengthBytes)
  return block
}
