// Keys for tests, made from a fixed seed so that their signatures are always the same.
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { type NoteSigner, noteKey } from './note-key.ts'

// PKCS #8 of an Ed25519 key (RFC 8410), without the key.
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export function signerFrom(seedByte: number, name: string): NoteSigner {
  const seed = Buffer.alloc(32, seedByte)
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { key: noteKey(name, publicKey), privateKey }
}
