// One entry of the audit log, with its contents, and whether they are what its leaf was made for.
//
// The leaf (log/leaf.ts) has digests; the body and its salt are stored beside it. The number of an entry is its place in
// the log, counted from 1; the sequencer assigns it.

import { Buffer } from 'node:buffer'
import { readJson } from '../digest/parse.ts'
import { isAssentError } from '../errors.ts'
import { isPlainObject } from '../json.ts'
import { askLimits } from '../limits.ts'
import type { AuditKind } from '../log/audit-kinds.ts'
import { fromHex } from '../log/encoding.ts'
import { assertionDigest, encodeLeaf, isBodyOf } from '../log/leaf.ts'
import { leafHash } from '../log/merkle.ts'
import { type Assertion, isAssertion } from '../presence/assertion.ts'

export interface AuditEntry {
  readonly tenant: string
  readonly seq: number
  readonly atMs: number
  readonly kind: AuditKind
  /** The id of what it happened to. */
  readonly subject: string
  /** 1, 2, 3 … for the entries of one row; 0 for an entry that changes no row. */
  readonly counter: number
  /** Of salt and body, made by `saltedDigest`. */
  readonly digest: string
  /** Of the assertion in the body, if a passkey signed. */
  readonly assertionDigest?: string
  /** Hexadecimal. Empty, as is the body, if the text was erased. */
  readonly salt: string
  readonly body: string
  /** Of the leaf: hexadecimal. */
  readonly hash: string
}

/** The bytes of its leaf; undefined if they would not be a valid leaf. */
export function leafOf(entry: Omit<AuditEntry, 'tenant' | 'seq' | 'salt' | 'body' | 'hash'>): Uint8Array | undefined {
  const { subject, counter, kind, atMs, digest, assertionDigest: assertion } = entry
  const leaf = { subject, counter, kind, atMs, bodyDigest: digest }
  try {
    return encodeLeaf(assertion === undefined ? leaf : { ...leaf, assertionDigest: assertion })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Hexadecimal, as entries have it. */
export function leafHashText(leaf: Uint8Array): string {
  return Buffer.from(leafHash(leaf)).toString('hex')
}

/** Whether both text and salt are gone. If only one is missing, the entry was changed. */
export function isErased({ salt, body }: Pick<AuditEntry, 'salt' | 'body'>): boolean {
  return salt === '' && body === ''
}

/**
 * The first thing that was changed, as a sentence; undefined if the entry is what its leaf was made for. Whether its text may be
 * erased is for the caller to decide: see erasure.ts.
 */
export function entryProblem(entry: AuditEntry): string | undefined {
  const leaf = leafOf(entry)
  if (leaf === undefined) return `Entry ${entry.seq} was changed: it is not an audit entry.`
  const wrongText = isErased(entry) ? undefined : wrongTextOf(entry)
  if (wrongText !== undefined) return `Entry ${entry.seq} was changed: ${wrongText}`
  return leafHashText(leaf) === entry.hash ? undefined : `Entry ${entry.seq} was changed: its hash does not match.`
}

function wrongTextOf(entry: AuditEntry): string | undefined {
  const salt = fromHex(entry.salt)
  const isText = salt !== undefined && isBodyOf({ ...entry, bodyDigest: entry.digest }, salt, entry.body)
  if (!isText) return 'its text does not match its digest.'
  const assertion = assertionIn(entryBody(entry))
  const expected = assertion === undefined ? undefined : assertionDigest(assertion)
  return expected === entry.assertionDigest ? undefined : 'its signature does not match its digest.'
}

/** The assertion of the passkey that signed a decision, or that authorised a change of passkeys. */
export function assertionIn(body: unknown): Assertion | undefined {
  if (!isPlainObject(body)) return undefined
  const found = [body.presence, body.authorisedBy].find((one) => one !== undefined)
  return isAssertion(found) ? found : undefined
}

/** Its members; none if the text is not an object. */
export function entryBody({ body }: Pick<AuditEntry, 'body'>): Readonly<Record<string, unknown>> {
  try {
    const read = readJson(body, { depth: 2 * askLimits.actionDepth, halfPairs: 'keep', numbers: 'exact' })
    return isPlainObject(read) ? read : {}
  } catch (error) {
    if (isAssentError(error)) return {}
    throw error
  }
}
