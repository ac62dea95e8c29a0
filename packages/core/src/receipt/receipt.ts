// The signed proof that one approval was used: what was approved, by whom, for whom, when, and when it ran.
//
// A receipt is `assentreceipt1.<base64url of a JSON array>.<base64url of an Ed25519 signature>`: text that can be
// stored anywhere and verified offline. It proves what its signer stated, not what the action did. The caller makes and
// stores the keys.

import { Buffer } from 'node:buffer'
import { type KeyObject, sign, verify } from 'node:crypto'
import { isDigest } from '../digest/digest.ts'
import { parseJsonStrictly } from '../digest/parse.ts'
import { AssentError } from '../errors.ts'
import { isId, isName } from '../ids.ts'

export interface ReceiptStatement {
  readonly askId: string
  readonly grantId: string
  /** Of the action that was approved and ran; see digest/action.ts. */
  readonly actionDigest: string
  /** On whose behalf it ran. */
  readonly principal: string
  readonly approvedBy: string
  readonly decidedAtMs: number
  readonly usedAtMs: number
  /** Which key signed, so that keys can be replaced. */
  readonly keyId: string
}

export type VerifiedReceipt =
  | { readonly ok: true; readonly statement: ReceiptStatement }
  | { readonly ok: false; readonly reason: 'malformed' | 'not-signed-by-this-key' }

const version = 'assentreceipt1'
const receiptChars = 4_096
const pattern = new RegExp(`^${version}\\.([A-Za-z0-9_-]+)\\.([A-Za-z0-9_-]+)$`)

export function signReceipt(statement: ReceiptStatement, privateKey: KeyObject): string {
  if (!isValid(statement))
    throw new AssentError('misconfigured', 'A receipt must have valid ids, names, a digest and two times.')
  const body = encode(statement)
  return `${body}.${Buffer.from(sign(null, Buffer.from(body, 'utf8'), privateKey)).toString('base64url')}`
}

/** Accepts any value. The caller checks whether the statement names the right person and action. */
export function verifyReceipt(receipt: unknown, publicKey: KeyObject): VerifiedReceipt {
  if (typeof receipt !== 'string' || receipt.length > receiptChars) return malformed
  const parts = pattern.exec(receipt)
  if (parts === null) return malformed
  const [, body, signed] = parts as RegExpExecArray & readonly [string, string, string]
  const signature = Buffer.from(signed, 'base64url')
  if (signature.toString('base64url') !== signed) return malformed
  if (!isSignature(Buffer.from(`${version}.${body}`, 'utf8'), publicKey, signature)) {
    return { ok: false, reason: 'not-signed-by-this-key' }
  }
  const statement = decode(body)
  // Compared with our own encoding, so that a statement has one receipt per key and no hidden members.
  if (statement === undefined || !isValid(statement) || encode(statement) !== `${version}.${body}`) return malformed
  return { ok: true, statement }
}

const malformed = { ok: false, reason: 'malformed' } as const

function isSignature(bytes: Uint8Array, publicKey: KeyObject, signature: Uint8Array): boolean {
  try {
    return verify(null, bytes, publicKey, signature)
  } catch {
    // A key of another type cannot have signed it.
    return false
  }
}

function encode(statement: ReceiptStatement): string {
  const { askId, grantId, actionDigest, principal, approvedBy, decidedAtMs, usedAtMs, keyId } = statement
  const list = [askId, grantId, actionDigest, principal, approvedBy, decidedAtMs, usedAtMs, keyId]
  return `${version}.${Buffer.from(JSON.stringify(list), 'utf8').toString('base64url')}`
}

function decode(body: string): ReceiptStatement | undefined {
  try {
    // The caller refuses a longer list, because its encoding differs from ours.
    const list = parseJsonStrictly(Buffer.from(body, 'base64url').toString('utf8')) as readonly unknown[]
    const [askId, grantId, actionDigest, principal, approvedBy, decidedAtMs, usedAtMs, keyId] = list
    return { askId, grantId, actionDigest, principal, approvedBy, decidedAtMs, usedAtMs, keyId } as ReceiptStatement
  } catch {
    return undefined
  }
}

function isValid(statement: ReceiptStatement): boolean {
  const { askId, grantId, actionDigest, principal, approvedBy, decidedAtMs, usedAtMs, keyId } = statement
  const isText = [askId, grantId, actionDigest, principal, approvedBy, keyId].every((text) => typeof text === 'string')
  if (!isText || !isId(askId, 'ask') || !isId(grantId, 'grant') || !isDigest(actionDigest)) return false
  if (![principal, approvedBy, keyId].every(isName)) return false
  return [decidedAtMs, usedAtMs].every((time) => Number.isSafeInteger(time) && time >= 0)
}
