// The audit log as a hash chain: each entry's hash covers the one before it, so an entry cannot be changed, removed,
// inserted or moved without changing every later hash.
//
// One chain per tenant. The store computes the same `linkHash` inside the transaction that an entry belongs to; this
// module defines it and verifies it offline from the entries alone. A chain alone cannot show that its end was cut
// off or that all of it was rewritten: signed checkpoints stored elsewhere do (see checkpoint.ts).

import { hash } from 'node:crypto'
import type { Checkpoint } from './checkpoint.ts'

/** The kinds of audit entries. */
export type AuditKind =
  | 'ask.raised'
  | 'ask.voted'
  | 'ask.settled'
  /** The answer was recorded, and the server had stopped waiting for it. */
  | 'ask.undelivered'
  | 'ask.expired'
  | 'ask.withdrawn'
  /** A stored ask or grant does not match its signatures and was refused. */
  | 'ask.unverified'
  | 'grant.used'
  | 'call.lost'
  | 'passkey.added'
  | 'passkey.removed'
  /** Another value of `inbox.presence` is in force. */
  | 'presence.changed'
  | 'note'

export interface AuditEntry {
  readonly tenant: string
  readonly seq: number
  readonly atMs: number
  readonly kind: AuditKind
  /** The id of what it happened to. */
  readonly subject: string
  /** Of the canonical body, made by `bodyDigest`. */
  readonly digest: string
  readonly body: string
  readonly hash: string
}

export type ChainVerdict =
  | { readonly ok: true; readonly lastSeq: number; readonly lastHash: string }
  | { readonly ok: false; readonly seq: number; readonly problem: string }

/** The previous hash of the first entry of a tenant's chain. */
export function genesisHash(tenant: string): string {
  return sha256Hex(`assent audit v1\n${tenant}`)
}

export function bodyDigest(body: string): string {
  return sha256Hex(body)
}

/** Every part is a number, a digest, a kind or an id: none can contain the separator. */
export function linkHash(
  previousHash: string,
  entry: Pick<AuditEntry, 'seq' | 'atMs' | 'kind' | 'subject' | 'digest'>,
): string {
  return sha256Hex([previousHash, entry.seq, entry.atMs, entry.kind, entry.subject, entry.digest].join('|'))
}

/**
 * Verifies a chain entry by entry, in order, from the first. Call `verdict()` after the last.
 *
 * It keeps one entry's hash in memory, however long the chain is. With checkpoints whose signatures were verified, it
 * also finds a truncated or completely rewritten chain.
 */
export class ChainVerifier {
  readonly #tenant: string
  readonly #checkpoints: ReadonlyMap<number, string>
  #seq = 0
  #hash: string
  #problem: { readonly seq: number; readonly problem: string } | undefined

  constructor(tenant: string, checkpoints: readonly Pick<Checkpoint, 'seq' | 'hash'>[] = []) {
    this.#tenant = tenant
    this.#checkpoints = new Map(checkpoints.map(({ seq, hash }) => [seq, hash]))
    this.#hash = genesisHash(tenant)
  }

  /** False from the first invalid entry on; later entries are not read. */
  add(entry: AuditEntry): boolean {
    if (this.#problem !== undefined) return false
    const problem = this.#problemOf(entry)
    if (problem !== undefined) {
      this.#problem = { seq: this.#seq + 1, problem }
      return false
    }
    this.#seq = entry.seq
    this.#hash = entry.hash
    return true
  }

  verdict(): ChainVerdict {
    if (this.#problem !== undefined) return { ok: false, ...this.#problem }
    const proven = Math.max(0, ...this.#checkpoints.keys())
    if (proven > this.#seq) {
      const problem = `The log ends at entry ${this.#seq}, but a checkpoint shows that it had reached entry ${proven}.`
      return { ok: false, seq: this.#seq + 1, problem }
    }
    return { ok: true, lastSeq: this.#seq, lastHash: this.#hash }
  }

  #problemOf(entry: AuditEntry): string | undefined {
    const expected = this.#seq + 1
    if (entry.tenant !== this.#tenant) return `Entry ${expected} belongs to another tenant.`
    if (entry.seq !== expected) return `Entry ${expected} is missing: the next one found is ${entry.seq}.`
    if (bodyDigest(entry.body) !== entry.digest)
      return `Entry ${expected} was changed: its text does not match its digest.`
    if (linkHash(this.#hash, entry) !== entry.hash) return `Entry ${expected} does not follow from the one before it.`
    const proven = this.#checkpoints.get(expected)
    if (proven !== undefined && proven !== entry.hash) {
      return `Entry ${expected} is not the one that was signed: the log was rewritten up to here.`
    }
    return undefined
  }
}

function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex')
}
