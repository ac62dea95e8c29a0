// Inclusion and consistency proofs, computed from tiles.
//
// A proof is a list of roots of ranges of leaves. Each range is cut into perfect trees, and each perfect tree lies within
// one tile. A wrong tile leads to a wrong proof, not to an error: `verifyInclusion` and `verifyConsistency` detect it.

import { hashBytes, nodeHash, perfectRoot, splitPoint } from './merkle.ts'
import { type TileRef, tileIn, tilePath, tileWidth } from './tile.ts'

/** Reads a hash tile of exactly this width; undefined if there is none. */
export type ReadTile = (tile: TileRef) => Promise<Uint8Array | undefined>

export type TileProof =
  | { readonly ok: true; readonly hashes: readonly Uint8Array[] }
  | { readonly ok: false; readonly problem: string }

/** Leaves from the first to before the second. */
type LeafRange = readonly [start: number, end: number]

/** That the leaf with this index is in the tree of this size. */
export async function inclusionProof(index: number, size: number, read: ReadTile): Promise<TileProof> {
  if (index < 0 || index >= size) return { ok: false, problem: `A tree of size ${size} has no leaf ${index}.` }
  return hashesOf(inclusionRanges(index, size), size, read)
}

/** That the tree of the newer size begins with that of the older size. */
export async function consistencyProof(olderSize: number, size: number, read: ReadTile): Promise<TileProof> {
  if (olderSize < 0 || olderSize > size) {
    return { ok: false, problem: `A tree of size ${size} does not contain one of size ${olderSize}.` }
  }
  return hashesOf(consistencyRanges(olderSize, size), size, read)
}

function inclusionRanges(index: number, size: number): LeafRange[] {
  const ranges: LeafRange[] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + splitPoint(end - start)
    if (index < middle) {
      ranges.push([middle, end])
      end = middle
    } else {
      ranges.push([start, middle])
      start = middle
    }
  }
  return ranges.reverse()
}

function consistencyRanges(olderSize: number, size: number): LeafRange[] {
  if (olderSize === 0 || olderSize === size) return []
  const ranges: LeafRange[] = []
  let [start, end] = [0, size]
  while (end !== olderSize) {
    const middle = start + splitPoint(end - start)
    if (olderSize <= middle) {
      ranges.push([middle, end])
      end = middle
    } else {
      ranges.push([start, middle])
      start = middle
    }
  }
  // A range that begins at 0 is the whole older tree, whose root the verifier has.
  if (start > 0) ranges.push([start, end])
  return ranges.reverse()
}

async function hashesOf(ranges: readonly LeafRange[], size: number, read: ReadTile): Promise<TileProof> {
  const tiles = new Map<string, Uint8Array>()
  const hashes: Uint8Array[] = []
  for (const range of ranges) {
    let root: Uint8Array | undefined
    for (const { tile, offset, count } of perfectTrees(range, size).reverse()) {
      const path = tilePath(tile)
      const bytes = tiles.get(path) ?? (await read(tile))
      if (bytes?.length !== tile.width * hashBytes) {
        const problem = bytes === undefined ? 'is missing' : `does not have ${tile.width} hashes`
        return { ok: false, problem: `The tile ${path} ${problem}.` }
      }
      tiles.set(path, bytes)
      const peak = perfectRoot(bytes.subarray(offset * hashBytes, (offset + count) * hashBytes))
      root = root === undefined ? peak : nodeHash(peak, root)
    }
    if (root !== undefined) hashes.push(root)
  }
  return { ok: true, hashes }
}

interface PerfectTree {
  readonly tile: TileRef
  /** Of the first hash in the tile. */
  readonly offset: number
  /** How many hashes, a power of two. */
  readonly count: number
}

/** The perfect trees that a range consists of, from left to right: from the largest to the smallest. */
function perfectTrees([start, end]: LeafRange, size: number): PerfectTree[] {
  const trees: PerfectTree[] = []
  for (let at = start; at < end; ) {
    let leaves = 1
    while (leaves * 2 <= end - at) leaves *= 2
    let level = 0
    while (tileWidth ** (level + 1) <= leaves) level++
    const position = at / tileWidth ** level
    const tile = tileIn(size, level, Math.floor(position / tileWidth))
    if (tile === undefined) throw new RangeError('A range of leaves lies outside the tree.')
    trees.push({ tile, offset: position % tileWidth, count: leaves / tileWidth ** level })
    at += leaves
  }
  return trees
}
