// The keys with which a log signs its checkpoints: Ed25519 keys made from the key ring, one for each of its keys.
//
// A checkpoint has a signature of every key in the ring. So while a key is replaced, verifiers that know the old one and those
// that know the new one both accept it, and its public key can be kept to verify old checkpoints after it was removed.

import { createPrivateKey, createPublicKey } from 'node:crypto'
import { type KeyRing, type NoteSigner, noteKey, signTreeHead, type TreeHead } from '@assent/core'

// PKCS #8 of an Ed25519 key (RFC 8410), without the key.
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const publicKeyBytes = 32

/** The key of the ring that signs first, first. */
function signersFrom(keys: KeyRing, origin: string): NoteSigner[] {
  return keys.all.map((key) => {
    const seed = key.mac('log', origin)
    const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
    const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-publicKeyBytes)
    return { key: noteKey(origin, publicKey), privateKey }
  })
}

/** The signers of each log. A reload may replace the keys of the ring. */
export class LogSigners {
  readonly #keys: KeyRing
  readonly #known = new Map<string, { readonly from: KeyRing['all']; readonly signers: readonly NoteSigner[] }>()

  constructor(keys: KeyRing) {
    this.#keys = keys
  }

  of(origin: string): readonly NoteSigner[] {
    const known = this.#known.get(origin)
    if (known?.from === this.#keys.all) return known.signers
    const signers = signersFrom(this.#keys, origin)
    this.#known.set(origin, { from: this.#keys.all, signers })
    return signers
  }

  /** The checkpoint of this head: a signed note. */
  sign(head: TreeHead): string {
    return signTreeHead(head, ...this.of(head.origin))
  }
}
