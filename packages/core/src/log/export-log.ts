// Writes a log as files in the layout of c2sp.org/tlog-tiles: hash tiles and entry bundles.
//
// An export continues an earlier one and writes only what its checkpoint does not cover. It computes the tree from the leaves, so it
// fails if the log does not continue the older checkpoint, or if the entries are not those that the new checkpoint was signed for.
// The checkpoint itself is written by the caller, last: readers never see a size whose files are missing.

import { appendLeaves, edgeOf, type HashTile, type RightEdge, rootOf } from './append.ts'
import { encodeBundle } from './bundle.ts'
import { isSameHash, leafHash, type TreeState } from './merkle.ts'
import { edgeTiles, type TileRef, tileIn, tilePath, tileWidth } from './tile.ts'
import type { ReadTile } from './tile-proofs.ts'

export interface LogExport {
  /** What the folder has; size 0 for a new one. Signatures were verified by the caller, here and below. */
  readonly older: TreeState
  readonly head: TreeState
  readonly tile: ReadTile
  /** The leaves from this index on, in order. An entry that cannot be read is undefined. */
  leaves(from: number): AsyncIterator<Uint8Array | undefined>
  /** Stores a file below the log's prefix. */
  write(path: string, bytes: Uint8Array): Promise<void>
}

export type LogExported =
  | { readonly ok: true; readonly files: number }
  | { readonly ok: false; readonly problem: string }

export async function exportLogFiles(log: LogExport): Promise<LogExported> {
  const { older, head } = log
  if (older.size > head.size) {
    return fail(`The older checkpoint covers ${older.size} entries, but the log ends at entry ${head.size}.`)
  }
  // From the beginning of the last bundle, which was partial and has grown.
  const from = older.size - (older.size % tileWidth)
  const start = await edgeAt(from, log.tile)
  if (start === undefined) return fail('A tile of the log is missing.')
  if (older.size === from && !isSameHash(rootOf(start), older.root)) return notContinued(older)
  const leaves = log.leaves(from)
  const isNew = (tile: TileRef) =>
    tileIn(head.size, tile.level, tile.index)?.width === tile.width &&
    tileIn(older.size, tile.level, tile.index)?.width !== tile.width
  let edge = start
  let files = 0
  for (;;) {
    const bundle = tileIn(head.size, 'entries', edge.size / tileWidth)
    if (bundle === undefined) break
    const entries = await taken(leaves, bundle.width)
    if (entries.length < bundle.width) return fail(`Entry ${edge.size + entries.length + 1} of the log cannot be read.`)
    const hashes = entries.map(leafHash)
    if (older.size > edge.size) {
      const before = appendLeaves(edge, hashes.slice(0, older.size - edge.size)).edge
      if (!isSameHash(rootOf(before), older.root)) return notContinued(older)
    }
    const appended = appendLeaves(edge, hashes)
    const found = [
      ...appended.tiles.map((tile) => ({ tile, bytes: tile.hashes })),
      { tile: bundle, bytes: encodeBundle(entries) },
    ]
    for (const { tile, bytes } of found.filter((one) => isNew(one.tile))) {
      await log.write(tilePath(tile), bytes)
      files += 1
    }
    edge = appended.edge
    if (bundle.width < tileWidth) break
  }
  if (!isSameHash(rootOf(edge), head.root)) return fail('The entries are not those that the checkpoint was signed for.')
  return { ok: true, files }
}

/** The right edge of a tree whose last tile of level 0 is full. */
async function edgeAt(size: number, read: ReadTile): Promise<RightEdge | undefined> {
  const tiles: HashTile[] = []
  for (const tile of edgeTiles(size)) {
    const hashes = await read(tile)
    if (hashes !== undefined) tiles.push({ ...tile, level: Number(tile.level), hashes })
  }
  return edgeOf(size, tiles)
}

/** Up to `count` leaves; fewer if one cannot be read. */
async function taken(leaves: AsyncIterator<Uint8Array | undefined>, count: number): Promise<Uint8Array[]> {
  const entries: Uint8Array[] = []
  while (entries.length < count) {
    const { value, done } = await leaves.next()
    if (done === true || value === undefined) break
    entries.push(value)
  }
  return entries
}

function notContinued({ size }: TreeState): LogExported {
  return fail(`The first ${size} entries are not those of the older checkpoint.`)
}

function fail(problem: string): LogExported {
  return { ok: false, problem }
}
