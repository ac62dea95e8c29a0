// Appending leaves to a log, with only the right edge of its tree.
//
// Owns: the edge, which is the content of the partial tile of each level (at most 255 hashes per level).
// Does not own: where tiles and the edge are stored.
// I1  The edge of a size is determined by the leaves: the same leaves in any batches lead to the same edge and tiles.
// I2  An append returns every tile that the new size has and the old size did not have; a tile that it returns is never
//     one that existed before with other bytes.

import { emptyRoot, hashBytes, nodeHash, perfectRoot } from './merkle.ts'
import { hashesAt, type TileRef, tileWidth } from './tile.ts'

export interface RightEdge {
  readonly size: number
  /** By level: the hashes of the partial tile, empty if the last tile is full. */
  readonly partial: readonly Uint8Array[]
}

export interface HashTile extends TileRef {
  readonly level: number
  readonly hashes: Uint8Array
}

export interface Appended {
  readonly edge: RightEdge
  /** Full tiles and the partial ones of the new size, to be stored before a checkpoint of that size is published. */
  readonly tiles: readonly HashTile[]
}

export const emptyEdge: RightEdge = { size: 0, partial: [] }

/** The edge from the partial tiles of a tree (`edgeTiles`); undefined if their number of bytes does not fit the size. */
export function edgeOf(size: number, tiles: readonly HashTile[]): RightEdge | undefined {
  const partial: Uint8Array[] = []
  for (let level = 0; hashesAt(level, size) > 0; level++) {
    const width = hashesAt(level, size) % tileWidth
    const hashes = tiles.find((tile) => tile.level === level)?.hashes ?? new Uint8Array(0)
    if (hashes.length !== width * hashBytes) return undefined
    partial.push(hashes)
  }
  return { size, partial }
}

export function appendLeaves(edge: RightEdge, leafHashes: readonly Uint8Array[]): Appended {
  const partial = [...edge.partial]
  const tiles: HashTile[] = []
  let added = leafHashes
  for (let level = 0; added.length > 0; level++) {
    const before = partial[level] ?? new Uint8Array(0)
    const row = joined(before, added)
    const firstIndex = Math.floor(hashesAt(level, edge.size) / tileWidth)
    const roots: Uint8Array[] = []
    const fullBytes = tileWidth * hashBytes
    let at = 0
    for (; at + fullBytes <= row.length; at += fullBytes) {
      const hashes = row.slice(at, at + fullBytes)
      tiles.push({ level, index: firstIndex + roots.length, width: tileWidth, hashes })
      roots.push(perfectRoot(hashes))
    }
    const rest = row.slice(at)
    partial[level] = rest
    if (rest.length > 0) {
      tiles.push({ level, index: firstIndex + roots.length, width: rest.length / hashBytes, hashes: rest })
    }
    added = roots
  }
  return { edge: { size: edge.size + leafHashes.length, partial }, tiles }
}

/** The root of the whole tree. */
export function rootOf(edge: RightEdge): Uint8Array {
  let root: Uint8Array | undefined
  for (const hashes of edge.partial) {
    let end = hashes.length
    // From the right: the perfect trees of a partial tile have the sizes of the bits of its width, the smallest last.
    for (let count = 1; end > 0; count *= 2) {
      if (Math.floor(end / hashBytes / count) % 2 === 0) continue
      const peak = perfectRoot(hashes.subarray(end - count * hashBytes, end))
      root = root === undefined ? peak : nodeHash(peak, root)
      end -= count * hashBytes
    }
  }
  return root ?? emptyRoot
}

function joined(before: Uint8Array, added: readonly Uint8Array[]): Uint8Array {
  const row = new Uint8Array(before.length + added.length * hashBytes)
  row.set(before)
  for (const [at, one] of added.entries()) {
    if (one.length !== hashBytes) throw new RangeError(`A hash has ${hashBytes} bytes.`)
    row.set(one, before.length + at * hashBytes)
  }
  return row
}
