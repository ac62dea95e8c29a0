// A secret on its way from a browser to this server: HPKE (RFC 9180) in base mode, for a key of the page's own.
//
// The key pair of a page is derived from the server's own key and the page's name. So any replica can open what was handed
// over, nothing has to be kept for it, and whoever stores it meanwhile cannot. Page, server and person are bound to it: what
// was handed over anywhere else does not open.

import { hkdfSync } from 'node:crypto'
import { AssentError, type SealedSecret, secretLimits } from '@assent/core'
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from 'hpke'

// P-256, because every browser has it.
const suite = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM)
const label = 'assent secret v1'
const info = Buffer.from(label, 'utf8')
const lengthBytes = 4

/** Where it was handed over, for whom, and by whom, as the gateway tells it. */
export interface Handed {
  readonly page: string
  readonly server: string
  readonly principal: string
}

export async function publicKeyOf(key: Uint8Array, page: string): Promise<string> {
  const { publicKey } = await keyPairOf(key, page)
  return Buffer.from(await suite.SerializePublicKey(publicKey)).toString('base64url')
}

export async function openSecret(key: Uint8Array, sealed: SealedSecret, handed: Handed): Promise<string> {
  const { page, server, principal } = handed
  const aad = Buffer.from(JSON.stringify([label, page, server, principal]), 'utf8')
  try {
    const [enc, ct] = [bytes(sealed.enc), bytes(sealed.ct)]
    return unpadded(await suite.Open(await keyPairOf(key, page), enc, ct, { aad, info }))
  } catch (error) {
    const why = 'What was handed over cannot be opened: it was altered, or meant for another page, server or key.'
    throw new AssentError('validation_failed', why, { cause: error })
  }
}

function keyPairOf(key: Uint8Array, page: string): ReturnType<typeof suite.DeriveKeyPair> {
  const ikm = hkdfSync('sha256', key, new Uint8Array(), Buffer.from(`${label}\n${page}`, 'utf8'), 32)
  return suite.DeriveKeyPair(new Uint8Array(ikm))
}

function bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}

/** Its length stands in front, and what follows it hides how long it is. */
function unpadded(padded: Uint8Array): string {
  const length = new DataView(padded.buffer, padded.byteOffset).getUint32(0)
  if (length > secretLimits.secretBytes || length > padded.length - lengthBytes) throw new RangeError('A wrong length.')
  return new TextDecoder('utf-8', { fatal: true }).decode(padded.subarray(lengthBytes, lengthBytes + length))
}
