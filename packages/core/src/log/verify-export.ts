// Verifies an exported log from its files alone: checkpoint, tiles and entry bundles (c2sp.org/tlog-tiles).
//
// It computes the whole tree from the leaves and compares every tile of the export with it, so a wrong tile is found even
// if no proof would use it. scripts/verify-log.py does the same without this code. It keeps about 60 bytes of memory for each ask and note.

import { hash } from 'node:crypto'
import { logLimits } from '../limits.ts'
import { appendLeaves, emptyEdge, type HashTile, type RightEdge, rootOf } from './append.ts'
import { parseBundle } from './bundle.ts'
import { CountsByHash } from './counts-by-hash.ts'
import { parseLeaf } from './leaf.ts'
import { isSameHash, leafHash, verifyConsistency } from './merkle.ts'
import type { NoteKey } from './note-key.ts'
import { type TileRef, tileIn, tilePath, tilesAt, tileWidth } from './tile.ts'
import { consistencyProof } from './tile-proofs.ts'
import { type OpenedCheckpoint, openCheckpoint, type TreeHead } from './tree-head.ts'

/** Reads a file of the export by its path below the log's prefix; undefined if there is none. */
export type ReadExport = (path: string) => Promise<Uint8Array | undefined>

export type LogVerdict = OpenedCheckpoint | { readonly ok: false; readonly problem: string; readonly index: number }

/**
 * @param logs keys of the log that the caller has from elsewhere
 * @param older a checkpoint that was kept elsewhere: the log has to contain everything that it covers
 */
export async function verifyLogExport(
  read: ReadExport,
  logs: readonly NoteKey[],
  older?: string | Uint8Array,
): Promise<LogVerdict> {
  const note = await read('checkpoint')
  if (note === undefined) return fail('The export has no checkpoint.')
  const opened = openCheckpoint(note, logs)
  if (!opened.ok) return opened
  const { head } = opened
  // `audit export` writes none.
  if (head.size === 0) return fail('The log is empty.')

  const order = new EntryOrder()
  let edge: RightEdge = emptyEdge
  for (const bundle of tilesAt(head.size, 'entries')) {
    const hashes = leavesOf(bundle, await read(tilePath(bundle)), order)
    if (!Array.isArray(hashes)) return hashes
    const appended = appendLeaves(edge, hashes)
    for (const tile of appended.tiles) {
      if (tileIn(head.size, tile.level, tile.index)?.width !== tile.width) continue
      const problem = tileProblem(tile, await read(tilePath(tile)))
      if (problem !== undefined) return fail(problem)
    }
    edge = appended.edge
  }
  if (!isSameHash(rootOf(edge), head.root)) return fail('The entries are not those that the checkpoint was signed for.')
  const problem = older === undefined ? undefined : await olderProblem(older, head, logs, read)
  return problem === undefined ? opened : fail(problem)
}

/**
 * The order within each subject. Counted entries of a subject are 1, 2, 3 … in the order of the log; of the others, none
 * occurs twice.
 */
class EntryOrder {
  /** By the hash of the subject, and by that of the leaf. */
  readonly #counters = new CountsByHash()
  readonly #uncounted = new CountsByHash()

  problemOf(entry: Uint8Array, hashed: Uint8Array): string | undefined {
    const leaf = parseLeaf(entry)
    if (leaf === undefined) return 'is not an audit entry'
    if (leaf.counter === 0) {
      if (this.#uncounted.get(hashed) > 0) return 'is in the log twice'
      this.#uncounted.set(hashed, 1)
      return undefined
    }
    const subject = hash('sha256', leaf.subject, 'buffer')
    const expected = this.#counters.get(subject) + 1
    if (leaf.counter !== expected) return `is number ${leaf.counter} of ${leaf.subject}, and ${expected} is the next`
    this.#counters.set(subject, expected)
    return undefined
  }
}

function leavesOf(
  bundle: TileRef,
  bytes: Uint8Array | undefined,
  order: EntryOrder,
): Uint8Array[] | Extract<LogVerdict, { ok: false }> {
  const path = tilePath(bundle)
  if (bytes === undefined) return fail(`The file ${path} is missing.`)
  if (bytes.length > tileWidth * (2 + logLimits.leafBytes)) return fail(`The file ${path} is too long.`)
  const entries = parseBundle(bytes, bundle.width)
  if (entries === undefined) return fail(`The file ${path} does not have exactly ${bundle.width} entries.`)
  const hashes: Uint8Array[] = []
  for (const [at, entry] of entries.entries()) {
    const hashed = leafHash(entry)
    const index = bundle.index * tileWidth + at
    const problem = order.problemOf(entry, hashed)
    if (problem !== undefined) return { ok: false, problem: `Entry ${index} ${problem}.`, index }
    hashes.push(hashed)
  }
  return hashes
}

function tileProblem(tile: HashTile, bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return `The file ${tilePath(tile)} is missing.`
  return isSameHash(bytes, tile.hashes) ? undefined : `The tile ${tilePath(tile)} does not belong to the entries.`
}

async function olderProblem(
  note: string | Uint8Array,
  head: TreeHead,
  logs: readonly NoteKey[],
  read: ReadExport,
): Promise<string | undefined> {
  const opened = openCheckpoint(note, logs)
  if (!opened.ok) return `The older checkpoint is not valid. ${opened.problem}`
  const { origin, size, root } = opened.head
  if (origin !== head.origin) return `The older checkpoint is one of the log ${origin}.`
  if (size > head.size) return `The log ends at entry ${head.size}, but the older checkpoint covers ${size} entries.`
  const proof = await consistencyProof(size, head.size, (tile) => read(tilePath(tile)))
  if (!proof.ok) return proof.problem
  return verifyConsistency({ size, root }, head, proof.hashes)
    ? undefined
    : `The first ${size} entries are not those of the older checkpoint.`
}

function fail(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem }
}
