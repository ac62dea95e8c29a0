// The transparency log of each tenant: integrates committed entries and signs checkpoints; reads entries and proofs.
//
// Owns: `log_heads`, `log_index`, `log_tiles`, and the keys that sign checkpoints.
// Does not own: when entries are integrated (sequencer.ts), and who writes them (audit/recorded.ts).
// I1  An entry is integrated once it is visible, at one place. Entries about one row are integrated in the order of their counters:
//     a snapshot that contains the later one contains the earlier one, whose id is lower.
// I2  Only a checkpoint that a configured key signed is extended, and only if the tiles lead to its root. No size is signed with
//     two roots, because storing a checkpoint needs the size and root of the one before.
// I3  Places, tiles and checkpoint are stored in one step: none exists without the others.

import {
  AssentError,
  type AuditEntry,
  type AuditKind,
  appendLeaves,
  edgeOf,
  edgeTiles,
  emptyEdge,
  type HashTile,
  inclusionProof,
  isOriginOf,
  type KeyRing,
  leafHash,
  leafHashText,
  logOrigin,
  type NoteKey,
  type NoteSigner,
  openCheckpoint,
  type ReadTile,
  type RightEdge,
  rootOf,
  type TreeHead,
} from '@assent/core'
import { DuplicateKey, type Engine } from '../engine/engine.ts'
import type { Row } from '../engine/statement.ts'
import { storeLimits } from '../limits.ts'
import { randomBytes } from '../random.ts'
import { type LeafRow, leafOfRow } from './leaf-of-row.ts'
import { LogSigners } from './log-keys.ts'
import {
  type AdvanceParams,
  advanceLog,
  beginLog,
  type HeadRow,
  hasNoPlace,
  type PlacedRow,
  readHead,
  readOutside,
  readPlaced,
  readTile,
  readUnplaced,
  signAgain,
} from './log-statements.ts'
import { LongTransactions } from './long-transactions.ts'
import { entriesSince, isRestored, readFrom, type SinceRow, sinceParams, startPosition } from './position.ts'

type NewEntry = Row & LeafRow

const batchEntries = storeLimits.integratedAtOnce
const columns = ['at', 'kind', 'subject', 'counter', 'digest', 'assertion_digest'] as const
const readBatch = {
  ...entriesSince<Omit<NewEntry, 'id'>>(
    'read_new_entries',
    batchEntries,
    columns,
    ` and ${hasNoPlace('audit_entries')}`,
  ),
  isBackground: true,
}

/** The end of a log. */
export interface LogHead extends TreeHead {
  /** The signed note; empty before the first entry. */
  readonly checkpoint: string
}

export interface Integrated {
  readonly tenant: string
  /** How many entries, and how long the first of them had waited. */
  readonly entries: number
  readonly delayMs: number
}

export interface AuditLogOptions {
  readonly keys: KeyRing
  readonly onIntegrated: (integrated: Integrated) => void
  /** Once for each transaction that has written and stays open for longer than `longTransactionMs`. */
  readonly onLongTransaction: (transaction: string) => void
}

/** What one attempt to add entries led to. */
type Attempt = { readonly kind: 'done'; readonly head: LogHead } | { readonly kind: 'again' }

export class AuditLog {
  readonly #engine: Engine
  readonly #options: AuditLogOptions
  /** This process, in the leases of logs. */
  readonly #name = Buffer.from(randomBytes(9)).toString('base64url')
  readonly #signers: LogSigners
  readonly #edges = new Map<string, RightEdge>()
  readonly #transactions: LongTransactions

  constructor(engine: Engine, options: AuditLogOptions) {
    this.#engine = engine
    this.#options = options
    this.#signers = new LogSigners(options.keys)
    this.#transactions = new LongTransactions(options.onLongTransaction)
  }

  /** How long the oldest transaction that has written is open, as far as it was observed here. */
  get oldestTransactionMs(): number {
    return this.#transactions.oldestMs(performance.now())
  }

  /** Adds every entry that is committed now to the log, and returns the log's end. */
  async integrate(tenant: string, known?: HeadRow): Promise<LogHead> {
    let before = known ?? (await this.#head(tenant))
    for (let tries = 0; ; ) {
      const attempt = await this.#integrateOnce(before)
      if (attempt.kind === 'done') return attempt.head
      // Another process was first: read its result.
      const after = await this.#head(tenant)
      if (after.size === before.size && after.position === before.position) tries += 1
      if (tries > storeLimits.comparedAgain)
        throw new AssentError('store_unavailable', `The audit log of ${tenant} could not be extended.`)
      before = after
    }
  }

  /** The same, unless another process does so now; undefined then. */
  async integrateInTurn(tenant: string): Promise<LogHead | undefined> {
    const row = await this.#head(tenant)
    const leftMs = (row.lease_until ?? 0) - row.now
    // A longer lease than is ever given: the clock was set back, or another program wrote it.
    const isTheirs = row.sequencer !== this.#name && leftMs > 0 && leftMs <= storeLimits.sequencerLeaseMs
    return isTheirs ? undefined : this.integrate(tenant, row)
  }

  /** The end of the log as it is stored, with the keys that verify it. Throws if no configured key signed it. */
  async head(tenant: string): Promise<{ readonly head: LogHead; readonly keys: readonly NoteKey[] }> {
    const row = await this.#head(tenant)
    return { head: this.#verified(row), keys: this.#keysOf(row.origin) }
  }

  /** Entries of the log in order, as they are stored. */
  async *entries(tenant: string, afterSeq: number, upToSeq: number): AsyncGenerator<AuditEntry> {
    for (let from = afterSeq; from < upToSeq; ) {
      const rows = await this.#engine.run(readPlaced, { tenant, from_place: from, at_most: storeLimits.entriesPage })
      for (const row of rows) {
        if (row.place >= upToSeq) return
        yield entryOf(row)
        from = row.place + 1
      }
      if (rows.length === 0) return
    }
  }

  /** The inclusion proof of one entry: base64. */
  async inclusion(tenant: string, seq: number, size: number): Promise<readonly string[]> {
    const proof = await inclusionProof(seq - 1, size, this.tileReader(tenant))
    if (!proof.ok) throw unusable(tenant, proof.problem)
    return proof.hashes.map((hash) => Buffer.from(hash).toString('base64'))
  }

  /** Reads tiles. A stored tile may have grown since: each narrower one is its beginning. */
  tileReader(tenant: string): ReadTile {
    return async ({ level, index, width }) => {
      if (level === 'entries') return undefined
      const [row] = await this.#engine.run(readTile, { tenant, level, place: index })
      const hashes = row === undefined ? undefined : Buffer.from(row.hashes, 'base64')
      return hashes === undefined || hashes.length < width * hashLength
        ? undefined
        : hashes.subarray(0, width * hashLength)
    }
  }

  /** Entries that are committed, older than this, and not in the log. */
  async unplaced(tenant: string): Promise<{ readonly id: number; readonly atMs: number }[]> {
    const rows = await this.#engine.run(readUnplaced, { tenant, at_most: batchEntries })
    return rows.flatMap(({ id, at }) => (id === null ? [] : [{ id, atMs: at }]))
  }

  /** Whether the index has a row that is not in the log. */
  async hasOutside(tenant: string): Promise<boolean> {
    return (await this.#engine.run(readOutside, { tenant })).length > 0
  }

  async #integrateOnce(row: HeadRow): Promise<Attempt> {
    let position = row.position
    for (;;) {
      const read = await this.#read(row.tenant, position)
      if (read.entries.length > 0) return this.#append(row, read.entries, read)
      if (!read.more) break
      position = read.position
    }
    // Another process may have added them since the head was read.
    if ((await this.#head(row.tenant)).size !== row.size) return { kind: 'again' }
    const head = this.#verified(row)
    if (row.size === 0 || !(await this.#signMissing(row))) return { kind: 'done', head }
    return { kind: 'again' }
  }

  /** New entries. In a database that was restored, positions mean nothing: then those that have no place. */
  async #read(tenant: string, position: string) {
    const rows = await this.#engine.run(readBatch, sinceParams(tenant, position))
    const snapshot = rows[0]?.snapshot ?? position
    this.#transactions.observe(snapshot, performance.now())
    if (!isRestored(position, rows)) return readFrom(position, rows as (NewEntry & SinceRow)[], batchEntries)
    const unplaced = await this.#engine.run(readUnplaced, { tenant, at_most: batchEntries })
    const entries = unplaced.filter((one): one is typeof one & NewEntry => one.id !== null)
    const isFull = entries.length === batchEntries
    return { entries, position: isFull ? position : (unplaced[0]?.snapshot ?? position), more: isFull }
  }

  async #append(
    row: HeadRow,
    entries: readonly NewEntry[],
    next: { readonly position: string; readonly more: boolean },
  ): Promise<Attempt> {
    const { tenant, origin, size: sizeBefore, root: rootBefore } = row
    this.#verified(row)
    const leaves = entries.map((entry) => {
      const leaf = leafOfRow(entry)
      if (typeof leaf === 'string') throw unusable(tenant, leaf)
      return leaf
    })
    const { edge, tiles } = appendLeaves(await this.#edge(row), leaves.map(leafHash))
    const head = { origin, size: edge.size, root: rootOf(edge) }
    const checkpoint = this.#signers.sign(head)
    const places = entries.map(({ id }, at) => [sizeBefore + at, id, leafHashText(leaves[at] ?? new Uint8Array(0))])
    const [advanced] = await this.#advance({
      tenant,
      size_before: sizeBefore,
      root_before: rootBefore,
      position_before: row.position,
      size: edge.size,
      root: base64(head.root),
      checkpoint,
      position: next.position,
      sequencer: this.#name,
      lease: storeLimits.sequencerLeaseMs,
      entries: JSON.stringify(places),
      tiles: JSON.stringify(tiles.map(({ level, index, hashes }) => [level, index, base64(hashes)])),
    })
    if (advanced === undefined) return { kind: 'again' }
    this.#edges.set(tenant, edge)
    const waitedSince = Math.min(...entries.map(({ at }) => at))
    const delayMs = Math.max(0, this.#engine.nowMs - waitedSince)
    this.#options.onIntegrated({ tenant, entries: entries.length, delayMs })
    return next.more ? { kind: 'again' } : { kind: 'done', head: { ...head, checkpoint } }
  }

  /** A place that is taken, or an entry that has one outside the log: another program wrote it. */
  async #advance(params: AdvanceParams): Promise<readonly { tenant: string }[]> {
    try {
      return await this.#engine.run(advanceLog, params)
    } catch (error) {
      if (error instanceof DuplicateKey) throw unusable(params.tenant, 'its index has rows that are not in the log')
      throw error
    }
  }

  /** Signs the same tree again if a key of the ring has not signed it. False if there is nothing to do. */
  async #signMissing(row: HeadRow): Promise<boolean> {
    const { tenant, size, checkpoint: before } = row
    const signers = this.#signers.of(row.origin)
    const isSignedBy = ({ key }: NoteSigner) => openCheckpoint(before, [key]).ok
    if (signers.every(isSignedBy)) return false
    const checkpoint = this.#signers.sign(this.#verified(row))
    await this.#engine.run(signAgain, { tenant, size, root: row.root, checkpoint, before })
    return true
  }

  /** The stored head, if a configured key signed exactly it. */
  #verified(row: HeadRow): LogHead {
    const { tenant, origin, size, root, checkpoint } = row
    if (!isOriginOf(origin, tenant)) throw unusable(tenant, 'its name is that of another log')
    if (size === 0) {
      if (checkpoint !== '' || root !== base64(rootOf(emptyEdge))) throw unusable(tenant, 'its head was changed')
      return { origin, size, root: rootOf(emptyEdge), checkpoint }
    }
    const opened = openCheckpoint(checkpoint, this.#keysOf(origin))
    if (!opened.ok) throw unusable(tenant, `no configured key signed its checkpoint. ${opened.problem}`)
    const { head } = opened
    if (head.origin !== origin || head.size !== size || base64(head.root) !== root) {
      throw unusable(tenant, 'its head is not the one that was signed')
    }
    return { ...head, checkpoint }
  }

  #keysOf(origin: string): readonly NoteKey[] {
    return this.#signers.of(origin).map(({ key }) => key)
  }

  async #head(tenant: string): Promise<HeadRow> {
    const [row] = await this.#engine.run(readHead, { tenant })
    if (row !== undefined) return row
    const root = base64(rootOf(emptyEdge))
    const origin = logOrigin(tenant, randomBytes(8))
    await this.#engine.runRepeatable(beginLog, { tenant, origin, root, position: startPosition })
    const [begun] = await this.#engine.run(readHead, { tenant })
    if (begun === undefined) throw new AssentError('store_unavailable', `The audit log of ${tenant} could not begin.`)
    return begun
  }

  /** The right edge of the stored tree: from memory, or from its tiles. */
  async #edge({ tenant, size, root }: HeadRow): Promise<RightEdge> {
    const known = this.#edges.get(tenant)
    if (known?.size === size && base64(rootOf(known)) === root) return known
    const read = this.tileReader(tenant)
    const tiles: HashTile[] = []
    for (const tile of edgeTiles(size)) {
      const hashes = await read(tile)
      if (hashes !== undefined) tiles.push({ ...tile, level: Number(tile.level), hashes })
    }
    const edge = edgeOf(size, tiles)
    if (edge === undefined || base64(rootOf(edge)) !== root) throw unusable(tenant, 'its tiles do not lead to its root')
    return edge
  }
}

const hashLength = 32

/** All members of an entry that is missing are empty, so it does not verify. Salt and body are empty if its text was erased. */
function entryOf(row: PlacedRow): AuditEntry {
  const { tenant, place, hash, at, kind, subject, counter, digest, assertion_digest, salt, body } = row
  return {
    tenant,
    seq: place + 1,
    atMs: at ?? 0,
    kind: (kind ?? '') as AuditKind,
    subject: subject ?? '',
    counter: counter ?? 0,
    digest: digest ?? '',
    ...(assertion_digest === null ? {} : { assertionDigest: assertion_digest }),
    salt: salt ?? '',
    body: body ?? '',
    hash,
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function unusable(tenant: string, why: string): AssentError {
  return new AssentError(
    'log_unusable',
    `The audit log of ${tenant} cannot be extended or proven: ${why.replace(/\.$/, '')}.`,
  )
}
