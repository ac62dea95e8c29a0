// The audit entries of one ask, in a format that can be exported and verified without the log.
//
// Each entry includes the hash of the entry before it. A proof alone shows that none of its entries was changed; with
// the log it can be shown that the log contains them. It reveals nothing about other asks except hashes.

import { isPlainObject } from '../json.ts'
import { type AuditEntry, bodyDigest, genesisHash, linkHash } from './chain.ts'

export const proofFormat = 'assent audit proof v1'

export interface ProvenEntry extends AuditEntry {
  /** Of the entry before it in the chain, which may be about another ask. */
  readonly previousHash: string
}

export interface AuditProof {
  readonly format: typeof proofFormat
  readonly tenant: string
  readonly ask: string
  readonly entries: readonly ProvenEntry[]
}

export type ProofVerdict =
  | { readonly ok: true; readonly proof: AuditProof }
  | { readonly ok: false; readonly problem: string; readonly seq?: number }

/** Verifies any value as a proof. Unknown members are not verified. */
export function verifyProof(raw: unknown): ProofVerdict {
  if (!isPlainObject(raw) || raw.format !== proofFormat) return fail('This is not an audit proof that Assent can read.')
  const { tenant, ask, entries } = raw
  if (typeof tenant !== 'string' || typeof ask !== 'string' || !Array.isArray(entries) || entries.length === 0) {
    return fail('The proof has no tenant, no ask or no entries.')
  }
  const proven: ProvenEntry[] = []
  for (const one of entries as unknown[]) {
    if (!isProvenEntry(one)) return fail('An entry of the proof is incomplete.')
    const problem = problemOf(one, tenant, ask, proven.at(-1))
    if (problem !== undefined) return { ok: false, problem, seq: one.seq }
    proven.push(one)
  }
  return { ok: true, proof: { format: proofFormat, tenant, ask, entries: proven } }
}

function problemOf(entry: ProvenEntry, tenant: string, ask: string, before: ProvenEntry | undefined) {
  const { seq } = entry
  if (entry.tenant !== tenant) return `Entry ${seq} belongs to another tenant.`
  if (before === undefined && (entry.kind !== 'ask.raised' || entry.subject !== ask)) {
    return `Entry ${seq} is not the one in which this ask was raised.`
  }
  // The only other entry in a proof is the use of this ask's grant, whose subject is the grant.
  if (entry.subject !== ask && entry.kind !== 'grant.used') return `Entry ${seq} is about something else.`
  if (before !== undefined && seq <= before.seq) return `Entry ${seq} is out of order.`
  const known = seq === 1 ? genesisHash(tenant) : before?.seq === seq - 1 ? before.hash : entry.previousHash
  if (entry.previousHash !== known) return `Entry ${seq} does not follow from the one before it.`
  if (bodyDigest(entry.body) !== entry.digest) return `Entry ${seq} was changed: its text does not match its digest.`
  if (linkHash(entry.previousHash, entry) !== entry.hash) return `Entry ${seq} was changed: its hash does not match.`
  return undefined
}

const textMembers = ['tenant', 'kind', 'subject', 'digest', 'body', 'hash', 'previousHash'] as const

function isProvenEntry(value: unknown): value is ProvenEntry {
  if (!isPlainObject(value) || !Number.isSafeInteger(value.seq) || !Number.isSafeInteger(value.atMs)) return false
  return textMembers.every((name) => typeof value[name] === 'string')
}

function fail(problem: string): ProofVerdict {
  return { ok: false, problem }
}
