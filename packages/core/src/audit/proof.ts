// What the record says about one ask, in a form that can be carried away and checked without the record.
//
// Each entry comes with the hash that it stands on. So whoever holds a proof can see that no word of it was changed since
// it was made, and whoever holds the chain can see that these very entries are in it. A proof says nothing of anybody
// else's asks: the entries between its own are named by their hashes alone.

import { isPlainObject } from '../json.ts'
import { type AuditEntry, bodyDigest, genesisHash, linkHash } from './chain.ts'

export const proofFormat = 'assent audit proof v1'

export interface ProvenEntry extends AuditEntry {
  /** Of the entry before it in the chain, whatever that was about. */
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

/** Judges anything at all as a proof. Members that it does not know are nothing it vouches for. */
export function verifyProof(raw: unknown): ProofVerdict {
  if (!isPlainObject(raw) || raw.format !== proofFormat) return no('This is no proof of the audit that we know.')
  const { tenant, ask, entries } = raw
  if (typeof tenant !== 'string' || typeof ask !== 'string' || !Array.isArray(entries) || entries.length === 0) {
    return no('The proof names no tenant, no ask, or no entry.')
  }
  const proven: ProvenEntry[] = []
  for (const one of entries as unknown[]) {
    if (!isProvenEntry(one)) return no('An entry of the proof lacks something.')
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
  // What else may stand in a proof is the use of the yes that this ask gave, which has a name of its own.
  if (entry.subject !== ask && entry.kind !== 'grant.used') return `Entry ${seq} is about something else.`
  if (before !== undefined && seq <= before.seq) return `Entry ${seq} is not in its place.`
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

function no(problem: string): ProofVerdict {
  return { ok: false, problem }
}
