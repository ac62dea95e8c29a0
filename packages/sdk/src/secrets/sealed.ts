// A secret on its way from a browser to this server: HPKE (RFC 9180) in base mode, for the key pair of the page.
//
// The key pair of a page is derived from the server's own key and the page's id. So any replica can open what was
// entered without storing a key, and the gateway that stores the secret cannot open it. The ciphertext is bound to
// page, server and person, so it does not open for another one.

import { createECDH, type ECDH, hkdfSync } from 'node:crypto'
import { AssentError, type SealedSecret, secretLimits } from '@assent/core'
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from 'hpke'

// P-256, because every browser has it.
const suite = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM)
const label = 'assent secret v1'
const info = Buffer.from(label, 'utf8')
const lengthBytes = 4
const coordinateBytes = 32
const attemptsMax = 4

/** The page, server and person that the secret is bound to, as the gateway reports them. */
export interface SecretBinding {
  readonly page: string
  readonly server: string
  readonly principal: string
}

export function publicKeyOf(key: Uint8Array, page: string): string {
  return pointOf(key, page).getPublicKey('base64url')
}

export async function openSecret(key: Uint8Array, sealed: SealedSecret, binding: SecretBinding): Promise<string> {
  const { page, server, principal } = binding
  const aad = Buffer.from(JSON.stringify([label, page, server, principal]), 'utf8')
  try {
    const [enc, ct] = [bytes(sealed.enc), bytes(sealed.ct)]
    return unpadded(await suite.Open(await keyPairOf(key, page), enc, ct, { aad, info }))
  } catch (error) {
    const why = 'The secret cannot be opened: it was altered, or sealed for another page, server or key.'
    throw new AssentError('validation_failed', why, { cause: error })
  }
}

/** We import the keys ourselves, because the library makes Node print an experimental warning at its first use. */
async function keyPairOf(key: Uint8Array, page: string) {
  const point = pointOf(key, page)
  const publicKey = point.getPublicKey()
  const coordinate = (from: number) => publicKey.subarray(from, from + coordinateBytes).toString('base64url')
  const publicJwk = { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(1 + coordinateBytes) }
  const algorithm = { name: 'ECDH', namedCurve: 'P-256' }
  const privateJwk = { ...publicJwk, d: point.getPrivateKey('base64url') }
  return {
    publicKey: await crypto.subtle.importKey('jwk', publicJwk, algorithm, true, []),
    privateKey: await crypto.subtle.importKey('jwk', privateJwk, algorithm, false, ['deriveBits']),
  }
}

function pointOf(key: Uint8Array, page: string): ECDH {
  const point = createECDH('prime256v1')
  // About one in 2^32 numbers of this length is not a valid private key; then the next one is derived.
  for (let turn = 0; ; turn++) {
    const info = Buffer.from(`${label}\n${page}\n${turn}`, 'utf8')
    try {
      point.setPrivateKey(new Uint8Array(hkdfSync('sha256', key, new Uint8Array(), info, coordinateBytes)))
      return point
    } catch (error) {
      if (turn === attemptsMax) throw error
    }
  }
}

function bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}

/** The length comes first; padding after the text hides it. */
function unpadded(padded: Uint8Array): string {
  const length = new DataView(padded.buffer, padded.byteOffset).getUint32(0)
  if (length > secretLimits.secretBytes || length > padded.length - lengthBytes) throw new RangeError('A wrong length.')
  return new TextDecoder('utf-8', { fatal: true }).decode(padded.subarray(lengthBytes, lengthBytes + length))
}
