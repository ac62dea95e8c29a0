// Entries and small logs for tests.

import { Buffer } from 'node:buffer'
import { appendLeaves, emptyEdge, type HashTile, rootOf } from '../log/append.ts'
import type { AuditKind } from '../log/audit-kinds.ts'
import { signerFrom } from '../log/keys.suite.ts'
import { assertionDigest, saltedDigest } from '../log/leaf.ts'
import { leafHash } from '../log/merkle.ts'
import { verifierKey } from '../log/note-key.ts'
import { inclusionProof } from '../log/tile-proofs.ts'
import { signTreeHead } from '../log/tree-head.ts'
import { type AuditEntry, assertionIn, leafHashText, leafOf } from './entry.ts'
import { type AuditProof, type ProvenEntry, proofFormat } from './proof.ts'

export const tenant = 'acme'
export const origin = 'assent/0123456789abcdef/acme'
export const logSigner = signerFrom(7, origin)

export interface Event {
  readonly kind: AuditKind
  readonly subject: string
  readonly counter: number
  readonly body: string
  readonly atMs?: number
}

/** The entries of these events, in order from number 1. */
export function entriesOfEvents(events: readonly Event[]): AuditEntry[] {
  return events.map(({ atMs = 1_000, body, ...event }, at) => resealed({ tenant, seq: at + 1, atMs, body, ...event }))
}

/** The same entry with digests and a hash that match its contents. */
export function resealed(entry: Omit<AuditEntry, 'salt' | 'digest' | 'assertionDigest' | 'hash'>): AuditEntry {
  const salt = Buffer.from(String(entry.seq).padStart(32, '0'), 'hex')
  const assertion = assertionIn(parsed(entry.body))
  const sealed = {
    ...{ tenant: entry.tenant, seq: entry.seq, atMs: entry.atMs, kind: entry.kind, subject: entry.subject },
    ...{ counter: entry.counter, body: entry.body, salt: salt.toString('hex') },
    digest: saltedDigest(salt, entry.body),
    ...(assertion === undefined ? {} : { assertionDigest: assertionDigest(assertion) }),
  }
  return { ...sealed, hash: leafHashText(leafOf(sealed) ?? new Uint8Array(0)) }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The root of the tree above these entries, and its tiles. */
export function treeOf(entries: readonly AuditEntry[]): {
  size: number
  root: Uint8Array
  tiles: readonly HashTile[]
} {
  const leaves = entries.map((entry) => leafHash(leafOf(entry) ?? new Uint8Array(0)))
  const { edge, tiles } = appendLeaves(emptyEdge, leaves)
  return { size: edge.size, root: rootOf(edge), tiles }
}

/** A proof of these entries in a log of all of them. */
export async function proofIn(
  all: readonly AuditEntry[],
  ask: string,
  shown: readonly AuditEntry[],
): Promise<AuditProof> {
  const { size, root, tiles } = treeOf(all)
  const entries: ProvenEntry[] = []
  for (const entry of shown) {
    const proof = await inclusionProof(entry.seq - 1, size, async ({ level, index, width }) => {
      const tile = tiles.findLast((one) => one.level === level && one.index === index)
      return tile?.hashes.subarray(0, width * 32)
    })
    if (!proof.ok) throw new Error(proof.problem)
    entries.push({ ...entry, inclusion: proof.hashes.map((one) => Buffer.from(one).toString('base64')) })
  }
  const checkpoint = signTreeHead({ origin, size, root }, logSigner)
  return { format: proofFormat, tenant, ask, entries, checkpoint, logKeys: [verifierKey(logSigner.key)] }
}
