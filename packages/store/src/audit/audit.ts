// The audit log: one hash chain per tenant.
//
// Entries about asks, grants and calls are written by the steps that change them (see recorded.ts). This module does the rest:
// reading, verifying, signing checkpoints, and adding notes about events that change no row.

import type { KeyObject } from 'node:crypto'
import {
  type AuditEntry,
  type AuditKind,
  bodyDigest,
  type ChainVerdict,
  ChainVerifier,
  type Checkpoint,
  canonicalJson,
  genesisHash,
  type ProvenEntry,
  signCheckpoint,
} from '@assent/core'
import type { Engine } from '../engine/engine.ts'
import { appendEntry, type NoteParams } from './append-entry.ts'
import { beginChain } from './begin-chain.ts'
import { keepCheckpoint, readCheckpoints } from './checkpoints.ts'
import { type EntryRow, readEntries } from './read-entries.ts'
import { readEntriesOf } from './read-entries-of.ts'
import { readHead } from './read-head.ts'
import type { RecordedParams } from './recorded.ts'

export interface AuditNote {
  readonly subject: string
  /** Any JSON value, stored as it is. */
  readonly body: unknown
}

const pageEntries = 1_000

export class Audit {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** The parameters for the body of an entry, for a step that writes its own entry. */
  body(value: unknown): RecordedParams {
    const body = canonicalJson(value)
    return { body, body_digest: bodyDigest(body) }
  }

  /** A step that writes an entry does nothing for a tenant without a chain; its caller begins the chain and tries again. */
  async begin(tenant: string): Promise<void> {
    await this.#engine.runRepeatable(beginChain, { tenant, genesis_hash: genesisHash(tenant) })
  }

  /** Records that a stored ask or its grant was refused because its signatures do not match. */
  async unverified(tenant: string, askId: string, problem: unknown): Promise<void> {
    await this.append(tenant, [{ subject: askId, body: problem }], 'ask.unverified')
  }

  /** Adds notes in the order given, in one commit. */
  async append(tenant: string, notes: readonly AuditNote[], kind: AuditKind = 'note'): Promise<void> {
    const list = notes.map(({ subject, body }) => ({ tenant, subject, kind, ...this.body(body) }))
    if (list.length === 0 || (await this.#added(list))) return
    await this.begin(tenant)
    await this.#added(list)
  }

  /**
   * False if the tenant has no chain yet. A single note is one statement, so it locks the head of the chain only while it runs,
   * however busy this process is and even if the connection breaks.
   */
  async #added(list: readonly NoteParams[]): Promise<boolean> {
    const [first, ...others] = list
    if (first === undefined) return true
    if (others.length === 0) return (await this.#engine.run(appendEntry, first)).length > 0
    const [rows = []] = await this.#engine.batch(appendEntry, list)
    return rows.length > 0
  }

  async *entries(tenant: string, afterSeq = 0): AsyncGenerator<AuditEntry> {
    let after = afterSeq
    for (;;) {
      const rows = await this.#engine.run(readEntries, { tenant, after_seq: after, at_most: pageEntries })
      for (const row of rows) yield entryFromRow(row)
      const last = rows.at(-1)
      if (last === undefined || rows.length < pageEntries) return
      after = last.seq
    }
  }

  /** The entries about one ask and about the use of its grant. */
  async entriesOf(tenant: string, askId: string, grantId = askId): Promise<ProvenEntry[]> {
    const rows = await this.#engine.run(readEntriesOf, { tenant, ask_id: askId, grant_id: grantId })
    return rows.map(({ previous_hash, ...row }) => ({
      ...entryFromRow(row),
      previousHash: previous_hash ?? genesisHash(tenant),
    }))
  }

  /** Reads the whole chain and compares it with checkpoints whose signatures the caller has verified. */
  async verify(tenant: string, checkpoints: readonly Checkpoint[] = []): Promise<ChainVerdict> {
    const verifier = new ChainVerifier(tenant, checkpoints)
    for await (const entry of this.entries(tenant)) {
      if (!verifier.add(entry)) break
    }
    return verifier.verdict()
  }

  /** Signs the current end of the chain. Undefined if the tenant has no entries. Keep a copy outside this database. */
  async checkpoint(tenant: string, keyId: string, privateKey: KeyObject): Promise<Checkpoint | undefined> {
    const [head] = await this.#engine.run(readHead, { tenant })
    if (head === undefined || head.seq === 0) return undefined
    const { seq, hash, now } = head
    const checkpoint = signCheckpoint({ tenant, seq, hash, atMs: now, keyId }, privateKey)
    await this.#engine.run(keepCheckpoint, {
      tenant,
      seq,
      hash,
      at: now,
      key_id: keyId,
      signature: checkpoint.signature,
    })
    return checkpoint
  }

  async checkpoints(tenant: string): Promise<Checkpoint[]> {
    const rows = await this.#engine.run(readCheckpoints, { tenant })
    return rows.map(({ at, key_id, ...row }) => ({ ...row, atMs: at, keyId: key_id }))
  }
}

function entryFromRow({ at, kind, ...row }: EntryRow): AuditEntry {
  return { ...row, atMs: at, kind: kind as AuditKind }
}
