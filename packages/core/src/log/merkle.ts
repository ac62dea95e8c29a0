// The Merkle tree of RFC 6962 (section 2.1; RFC 9162 defines the same tree): hashes, and verification of proofs.
//
// A leaf hash begins with 0x00 and a node hash with 0x01, so an inner node never passes as a leaf. Sizes and indexes are
// integers up to 2^53 - 1 and therefore divided, not shifted: JavaScript shifts only 32 bits.

import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'

/** Of one hash. */
export const hashBytes = 32

export const emptyRoot: Uint8Array = hash('sha256', '', 'buffer')

const leafPrefix = Uint8Array.of(0)

export function leafHash(leaf: Uint8Array): Uint8Array {
  return hash('sha256', Buffer.concat([leafPrefix, leaf]), 'buffer')
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const node = new Uint8Array(1 + 2 * hashBytes)
  node[0] = 1
  node.set(left, 1)
  node.set(right, 1 + hashBytes)
  return hash('sha256', node, 'buffer')
}

/** Of a whole number of hashes that is a power of two: the root of the perfect tree above them. */
export function perfectRoot(hashes: Uint8Array): Uint8Array {
  let row = hashes
  while (row.length > hashBytes) {
    const above = new Uint8Array(row.length / 2)
    for (let at = 0; at < above.length; at += hashBytes) {
      const left = row.subarray(2 * at, 2 * at + hashBytes)
      above.set(nodeHash(left, row.subarray(2 * at + hashBytes, 2 * at + 2 * hashBytes)), at)
    }
    row = above
  }
  return row
}

/** The largest power of two that is smaller than `count`, which is at least 2. */
export function splitPoint(count: number): number {
  let power = 1
  while (power * 2 < count) power *= 2
  return power
}

/** Whether the leaf is at this index of the tree. The proof's first hash is the leaf's sibling (RFC 9162, 2.1.3.2). */
export function verifyInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  root: Uint8Array,
  proof: readonly Uint8Array[],
): boolean {
  if (!isSize(index) || !isSize(size) || index >= size || !areHashes([leaf, root, ...proof])) return false
  let [at, last] = [index, size - 1]
  let found = leaf
  for (const sibling of proof) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      found = nodeHash(sibling, found)
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, half(last)]
    } else {
      found = nodeHash(found, sibling)
    }
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && isSameHash(found, root)
}

/** One state of a log: how many leaves, and the root above them. */
export interface TreeState {
  readonly size: number
  readonly root: Uint8Array
}

/** Whether the newer tree begins with all leaves of the older one, in the same order (RFC 9162, 2.1.4.2). */
export function verifyConsistency(older: TreeState, newer: TreeState, proof: readonly Uint8Array[]): boolean {
  if (!isSize(older.size) || !isSize(newer.size) || older.size > newer.size) return false
  if (!areHashes([older.root, newer.root, ...proof])) return false
  if (older.size === newer.size) return proof.length === 0 && isSameHash(older.root, newer.root)
  if (older.size === 0) return proof.length === 0 && isSameHash(older.root, emptyRoot)
  let [at, last] = [older.size - 1, newer.size - 1]
  while (at % 2 === 1) [at, last] = [half(at), half(last)]
  // `at` is 0 if the older size is a power of two: its root is then a node of the newer tree, and the proof omits it.
  const [first, ...rest] = at === 0 ? [older.root, ...proof] : proof
  if (first === undefined) return false
  let [oldRoot, newRoot] = [first, first]
  for (const sibling of rest) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      oldRoot = nodeHash(sibling, oldRoot)
      newRoot = nodeHash(sibling, newRoot)
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, half(last)]
    } else {
      newRoot = nodeHash(newRoot, sibling)
    }
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && isSameHash(oldRoot, older.root) && isSameHash(newRoot, newer.root)
}

export function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function areHashes(values: readonly Uint8Array[]): boolean {
  return values.every(({ length }) => length === hashBytes)
}

function half(value: number): number {
  return Math.floor(value / 2)
}
