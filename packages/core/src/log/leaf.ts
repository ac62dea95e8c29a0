// A leaf of the audit log: what happened to which subject and when, with digests in place of contents.
//
// The leaf stays in the log forever. The body and its salt are stored beside it and can be erased: without the salt, the
// body digest reveals nothing about the body, even if it is one word of two. With both, anyone can check the body.
// Seven lines, each with one spelling; the index in the log is not part of it, because the sequencer assigns it later.

import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import { digestOf, isDigest } from '../digest/digest.ts'
import { logLimits } from '../limits.ts'
import type { Assertion } from '../presence/assertion.ts'
import type { AuditKind } from './audit-kinds.ts'
import { parseDecimal, strictText, toUtf8 } from './encoding.ts'

export interface AuditLeaf {
  /** The id of what it happened to: an ask, a grant, a passkey; or a fixed word in a note. */
  readonly subject: string
  /** 1, 2, 3 … for the entries of one row, which is locked when it changes; 0 for an entry that changes no row. */
  readonly counter: number
  readonly kind: string
  readonly atMs: number
  /** Made by `saltedDigest`. */
  readonly bodyDigest: string
  /** Made by `assertionDigest`, if the approver signed with a passkey. */
  readonly assertionDigest?: string
}

const firstLine = 'assent audit leaf v1'
const subjectPattern = /^[!-~]{1,128}$/
const kindPattern = /^(?=.{1,32}$)[a-z]+(?:\.[a-z]+)*$/
const saltedLabel = Buffer.from('assent audit body v1\n', 'utf8')

export function encodeLeaf(leaf: AuditLeaf & { readonly kind: AuditKind }): Uint8Array {
  const { subject, counter, kind, atMs, bodyDigest, assertionDigest = '-' } = leaf
  const lines = [firstLine, subject, counter, kind, atMs, bodyDigest, assertionDigest]
  const bytes = toUtf8(lines.map((line) => `${line}\n`).join(''))
  const read = parseLeaf(bytes)
  if (read === undefined || read.assertionDigest !== leaf.assertionDigest) {
    throw new RangeError('The entry does not fit in a leaf of the audit log.')
  }
  return bytes
}

/** Undefined unless these are exactly the bytes that `encodeLeaf` writes. Kinds of later versions are accepted. */
export function parseLeaf(bytes: Uint8Array): AuditLeaf | undefined {
  if (bytes.length > logLimits.leafBytes) return undefined
  const lines = strictText(bytes)?.split('\n') ?? []
  const [first, subject = '', counterText = '', kind = '', atText = '', bodyDigest, assertion, end] = lines
  if (lines.length !== 8 || first !== firstLine || end !== '') return undefined
  const counter = parseDecimal(counterText)
  const atMs = parseDecimal(atText)
  if (counter === undefined || atMs === undefined || !isDigest(bodyDigest)) return undefined
  if (!subjectPattern.test(subject) || !kindPattern.test(kind)) return undefined
  const leaf = { subject, counter, kind, atMs, bodyDigest }
  if (assertion === '-') return leaf
  return isDigest(assertion) ? { ...leaf, assertionDigest: assertion } : undefined
}

/** `sha256:` over a label, the salt and the body. The salt has a fixed length, so the two cannot be mistaken. */
export function saltedDigest(salt: Uint8Array, body: string): string {
  if (salt.length !== logLimits.saltBytes) throw new RangeError(`A salt has ${logLimits.saltBytes} bytes.`)
  return `sha256:${hash('sha256', Buffer.concat([saltedLabel, salt, toUtf8(body)]), 'hex')}`
}

/** Whether this is the body that the leaf was made for. */
export function isBodyOf({ bodyDigest }: AuditLeaf, salt: Uint8Array, body: string): boolean {
  return salt.length === logLimits.saltBytes && body.isWellFormed() && saltedDigest(salt, body) === bodyDigest
}

/** Not salted: the signature in an assertion cannot be guessed, and it can be shown after the body was erased. */
export function assertionDigest(assertion: Assertion): string {
  return digestOf('audit assertion v1', assertion)
}
