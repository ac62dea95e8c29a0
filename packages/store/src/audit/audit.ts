// The audit log: writing notes, reading, proving and verifying.
//
// Entries about asks, grants, passkeys, definitions and calls are written by the steps that change them (see recorded.ts). The
// sequencer adds them to the log shortly after; what is read here is added first, so that it is complete.

import {
  type AuditEntry,
  type AuditKind,
  type AuditProof,
  assertionDigest,
  assertionIn,
  canonicalJson,
  Erasures,
  erasureSubject,
  isAssentError,
  LogVerifier,
  logLimits,
  type NoteKey,
  openCheckpoint,
  type ProvenEntry,
  proofFormat,
  type ReadTile,
  saltedDigest,
  type TreeHead,
  tileIn,
  verifierKey,
} from '@assent/core'
import type { Engine } from '../engine/engine.ts'
import { storeLimits } from '../limits.ts'
import type { AuditLog, LogHead } from '../log/audit-log.ts'
import { randomBytes } from '../random.ts'
import { appendEntry } from './append-entry.ts'
import { type EntryRow, readEntriesOf, readErasures } from './read-entries-of.ts'
import type { RecordedParams } from './recorded.ts'

export interface AuditNote {
  /** A word or an id: printable ASCII without spaces. */
  readonly subject: string
  /** Any JSON value, stored as it is. */
  readonly body: unknown
}

export type AuditVerdict =
  | {
      readonly ok: true
      readonly lastSeq: number
      /** The root of the tree: hexadecimal. */
      readonly lastHash: string
      /** The signed note of the end of the log; empty for an empty log. */
      readonly checkpoint: string
      /** How many entries have no text any more, as the log records. */
      readonly erased: number
    }
  | { readonly ok: false; readonly problem: string; readonly seq?: number }

export type OlderCheckpoint =
  | { readonly ok: true; readonly head: TreeHead }
  | { readonly ok: false; readonly problem: string }

/** Longer than a step waits for a lock, or for its commit. */
const unorderedMs = 60_000
/** Entries between two comparisons with the stored tiles. */
const comparedEntries = 4_096

export class Audit {
  readonly #engine: Engine
  readonly #log: AuditLog

  constructor(engine: Engine, log: AuditLog) {
    this.#engine = engine
    this.#log = log
  }

  /** The parameters for the body of an entry, for a step that writes its own entry. */
  body(value: unknown): RecordedParams {
    const body = canonicalJson(value)
    const salt = randomBytes(logLimits.saltBytes)
    const assertion = assertionIn(value)
    return {
      body,
      salt: Buffer.from(salt).toString('hex'),
      body_digest: saltedDigest(salt, body),
      assertion_digest: assertion === undefined ? null : assertionDigest(assertion),
    }
  }

  /** Records that a stored ask or its grant was refused because its signatures do not match. */
  async unverified(tenant: string, askId: string, problem: unknown): Promise<void> {
    await this.append(tenant, [{ subject: askId, body: problem }], 'ask.unverified')
  }

  /** Adds notes, all or none. */
  async append(tenant: string, notes: readonly AuditNote[], kind: AuditKind = 'note'): Promise<void> {
    const list = notes.map(({ subject, body }) => ({ tenant, subject: subjectText(subject), kind, ...this.body(body) }))
    const [first, ...others] = list
    if (first === undefined) return
    if (others.length === 0) await this.#engine.run(appendEntry, first)
    else await this.#engine.batch(appendEntry, list)
  }

  /**
   * Adds every committed entry to the log, and returns its end. The sequencer does so regularly. Throws if the log cannot be extended.
   */
  async integrate(tenant: string): Promise<LogHead> {
    return this.#log.integrate(tenant)
  }

  /** The keys that sign the checkpoints of this log, for the people who verify them. */
  async keys(tenant: string): Promise<readonly NoteKey[]> {
    return (await this.#log.head(tenant)).keys
  }

  /** The name of this log. A log that began anew has another one. */
  async origin(tenant: string): Promise<string> {
    return (await this.#log.head(tenant)).head.origin
  }

  /** Reads the stored tiles of the log. */
  tiles(tenant: string): ReadTile {
    return this.#log.tileReader(tenant)
  }

  /** The entries of the log in order. */
  async *entries(tenant: string, afterSeq = 0): AsyncGenerator<AuditEntry> {
    const { size } = await this.integrate(tenant)
    yield* this.#log.entries(tenant, afterSeq, size)
  }

  /**
   * The number of an entry before all entries of this time and later, found by bisection. The times of entries follow their
   * numbers except for waits on a lock or a commit, so entries of a minute before may follow it.
   */
  async lastBefore(tenant: string, atMs: number): Promise<number> {
    let [low, high] = [0, (await this.integrate(tenant)).size]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const { value: entry } = await this.#log.entries(tenant, middle - 1, middle).next()
      if (entry !== undefined && entry.atMs < atMs - unorderedMs) low = middle
      else high = middle - 1
    }
    return low
  }

  /** The entries about one ask and about the use of its grant, with the proof that the log has them. */
  async proof(tenant: string, askId: string, grantId = askId): Promise<AuditProof | undefined> {
    // Read first: what is integrated afterwards contains all of these entries.
    const found = await this.#engine.run(readEntriesOf, { tenant, ask_id: askId, grant_id: grantId })
    if (found.length === 0) return undefined
    const { size, checkpoint } = await this.integrate(tenant)
    const rows = await this.#engine.run(readEntriesOf, { tenant, ask_id: askId, grant_id: grantId })
    const entries: ProvenEntry[] = []
    for (const row of rows) {
      const { place } = row
      if (place === null || place >= size) continue
      entries.push({ ...entryFromRow(row), inclusion: await this.#log.inclusion(tenant, place + 1, size) })
    }
    // New entries were read from a standby that is behind: none of them is in the log yet.
    if (entries.length === 0) return undefined
    const logKeys = (await this.keys(tenant)).map(verifierKey)
    const inOrder = entries.toSorted((a, b) => a.seq - b.seq)
    return { format: proofFormat, tenant, ask: askId, entries: inOrder, checkpoint, logKeys }
  }

  /** Verifies the signature of an older checkpoint of this log. @param keys further keys that are trusted */
  async openCheckpoint(tenant: string, note: string, keys: readonly NoteKey[] = []): Promise<OlderCheckpoint> {
    const { head, keys: own } = await this.#log.head(tenant)
    const logs = [...own, ...keys.filter(({ id }) => !own.some((one) => one.id === id))]
    const opened = openCheckpoint(note, logs)
    if (!opened.ok) return opened
    const { origin } = opened.head
    return origin === head.origin ? opened : { ok: false, problem: `The checkpoint is one of another log, ${origin}.` }
  }

  /**
   * Reads the whole log: every entry and its contents, the tiles, the root that was signed, and entries that are not in the log.
   *
   * @param older heads of checkpoints whose signatures were verified
   */
  async verify(tenant: string, older: readonly TreeHead[] = []): Promise<AuditVerdict> {
    try {
      return await this.#verify(tenant, older)
    } catch (error) {
      if (isAssentError(error, 'log_unusable')) return { ok: false, problem: error.message }
      throw error
    }
  }

  async #verify(tenant: string, older: readonly TreeHead[], tries = 1): Promise<AuditVerdict> {
    const { head: stored } = await this.#log.head(tenant)
    // A checkpoint is stored before it is given to others. A log that is shorter now must not be signed with other entries.
    const isCut = older.some(({ size }) => size > stored.size)
    const head = isCut ? stored : await this.#log.integrate(tenant)
    const readThem = () => this.#engine.run(readErasures, { tenant, subject: erasureSubject })
    const placed = (await readThem()).filter(({ place }) => place !== null && place < head.size)
    const verdict = await this.#verifyEntries(tenant, head, older, new Erasures(placed.map(entryFromRow)))
    if (verdict.ok || tries === storeLimits.comparedAgain) return verdict
    // Texts may have been erased since.
    return (await readThem()).length === placed.length ? verdict : this.#verify(tenant, older, tries + 1)
  }

  async #verifyEntries(
    tenant: string,
    head: LogHead,
    older: readonly TreeHead[],
    erasures: Erasures,
  ): Promise<AuditVerdict> {
    const verifier = new LogVerifier(tenant, [head, ...older], erasures)
    for await (const entry of this.#log.entries(tenant, 0, head.size)) {
      if (!verifier.add(entry)) break
      if (verifier.size % comparedEntries === 0 && !(await this.#compareTiles(tenant, head.size, verifier))) break
    }
    await this.#compareTiles(tenant, head.size, verifier)
    const verdict = verifier.verdict()
    if (!verdict.ok) return verdict
    if (await this.#log.hasOutside(tenant)) {
      return { ok: false, problem: 'The index of the log has a row that is not in the log.' }
    }
    const outside = await this.#outside(tenant)
    if (outside !== undefined) return { ok: false, problem: `The stored entry ${outside} is not in the log.` }
    return { ...verdict, checkpoint: head.checkpoint }
  }

  async #compareTiles(tenant: string, size: number, verifier: LogVerifier): Promise<boolean> {
    const read = this.#log.tileReader(tenant)
    for (const tile of verifier.takeTiles()) {
      if (tileIn(size, tile.level, tile.index)?.width !== tile.width) continue
      if (!verifier.compareTile(tile, (await read(tile)) ?? new Uint8Array(0))) return false
    }
    return true
  }

  /** An entry that the sequencer does not find: its transaction number was changed. Others may be written meanwhile. */
  async #outside(tenant: string): Promise<number | undefined> {
    const before = await this.#log.unplaced(tenant)
    if (before.length === 0) return undefined
    await this.#log.integrate(tenant)
    const after = await this.#log.unplaced(tenant)
    return after.find(({ id }) => before.some((one) => one.id === id))?.id
  }
}

/** For an entry that has its place in the log. */
function entryFromRow({ place, at, kind, assertion_digest, salt, body, hash, ...row }: EntryRow): AuditEntry {
  const { tenant, subject, counter, digest } = row
  return {
    ...{ tenant, subject, counter, digest },
    seq: (place ?? 0) + 1,
    atMs: at,
    kind: kind as AuditKind,
    ...(assertion_digest === null ? {} : { assertionDigest: assertion_digest }),
    salt: salt ?? '',
    body: body ?? '',
    hash: hash ?? '',
  }
}

/** An entry with another subject could not be added to the log. */
function subjectText(subject: string): string {
  if (/^[!-~]{1,128}$/.test(subject)) return subject
  throw new RangeError('The subject of an audit note is printable ASCII without spaces, at most 128 characters.')
}
