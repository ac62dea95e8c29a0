// A signed statement of the length of a tenant's audit log: entry number and hash, signed with Ed25519.
//
// A checkpoint stored outside the database proves that nothing up to it was truncated or rewritten. The caller makes and
// stores the keys.

import { Buffer } from 'node:buffer'
import { type KeyObject, sign, verify } from 'node:crypto'

export interface Checkpoint {
  readonly tenant: string
  readonly seq: number
  readonly hash: string
  readonly atMs: number
  /** Which key signed, so that keys can be replaced. */
  readonly keyId: string
  /** base64url */
  readonly signature: string
}

export function signCheckpoint(statement: Omit<Checkpoint, 'signature'>, privateKey: KeyObject): Checkpoint {
  const signature = Buffer.from(sign(null, signedBytes(statement), privateKey)).toString('base64url')
  return { ...statement, signature }
}

/** Whether this key signed exactly this statement. */
export function verifyCheckpoint(checkpoint: Checkpoint, publicKey: KeyObject): boolean {
  const signature = Buffer.from(checkpoint.signature, 'base64url')
  if (signature.toString('base64url') !== checkpoint.signature) return false
  return verify(null, signedBytes(checkpoint), publicKey, signature)
}

// A JSON array of strings and numbers has one spelling, so no two statements share their bytes.
function signedBytes({ tenant, seq, hash, atMs, keyId }: Omit<Checkpoint, 'signature'>): Uint8Array {
  return Buffer.from(JSON.stringify(['assent audit checkpoint v1', tenant, seq, hash, atMs, keyId]), 'utf8')
}
