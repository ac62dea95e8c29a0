// The definitions of RFC 6962, section 2.1, word for word: recursive, and independent of the code under test.
//
// Leaves are hashed already, and D[start:end] is given by its bounds, so that roots computed once can be kept.
import { hash } from 'node:crypto'

export type Hashes = readonly Uint8Array[]

const known = new WeakMap<Hashes, Map<string, Uint8Array>>()

export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  return hash('sha256', Buffer.concat(parts), 'buffer')
}

/** MTH(D[start:end]) */
export function naiveRoot(leaves: Hashes, end = leaves.length, start = 0): Uint8Array {
  const roots = known.get(leaves) ?? new Map<string, Uint8Array>()
  known.set(leaves, roots)
  const key = `${start}:${end}`
  const root = roots.get(key) ?? computedRoot(leaves, end, start)
  roots.set(key, root)
  return root
}

function computedRoot(leaves: Hashes, end: number, start: number): Uint8Array {
  if (end === start) return sha256()
  if (end - start === 1) return leaves[start] ?? sha256()
  const middle = start + naiveSplit(end - start)
  return sha256(Uint8Array.of(1), naiveRoot(leaves, middle, start), naiveRoot(leaves, end, middle))
}

/** PATH(m, D[end]) */
export function naivePath(m: number, leaves: Hashes, end = leaves.length, start = 0): Uint8Array[] {
  if (end - start <= 1) return []
  const middle = start + naiveSplit(end - start)
  if (m < middle) return [...naivePath(m, leaves, middle, start), naiveRoot(leaves, end, middle)]
  return [...naivePath(m, leaves, end, middle), naiveRoot(leaves, middle, start)]
}

/** PROOF(m, D[end]) */
export function naiveProof(m: number, leaves: Hashes, end = leaves.length): Uint8Array[] {
  return m === 0 ? [] : subProof(m, leaves, end, 0, true)
}

function subProof(m: number, leaves: Hashes, end: number, start: number, isWhole: boolean): Uint8Array[] {
  if (m === end) return isWhole ? [] : [naiveRoot(leaves, end, start)]
  const middle = start + naiveSplit(end - start)
  if (m <= middle) return [...subProof(m, leaves, middle, start, isWhole), naiveRoot(leaves, end, middle)]
  return [...subProof(m, leaves, end, middle, false), naiveRoot(leaves, middle, start)]
}

/** The largest power of two that is smaller than n. */
function naiveSplit(n: number): number {
  return 2 ** Math.ceil(Math.log2(n) - 1)
}

/** Tile bytes of a tree by the formal definition in tlog-tiles: each hash is the root of 256^level leaves. */
export function naiveTile(leaves: Hashes, size: number, level: number, index: number): Uint8Array {
  const span = 256 ** level
  const hashes: Uint8Array[] = []
  for (let at = index * 256; at < (index + 1) * 256 && (at + 1) * span <= size; at++) {
    hashes.push(naiveRoot(leaves, (at + 1) * span, at * span))
  }
  return Buffer.concat(hashes)
}

/** Leaf hashes of entries with different contents. */
export function someLeaves(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => sha256(Uint8Array.of(0), Buffer.from(`entry ${index}`)))
}
