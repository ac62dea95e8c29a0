// Random bytes from the caller's source, fetched in blocks: the system call costs more than the bytes.

import type { RandomBytes } from './ids.ts'

const poolBytes = 4_096

/** Fills the array with bytes from a cryptographic source and returns it. */
type FillRandom = (bytes: Uint8Array) => Uint8Array

/** Never returns the same bytes twice: returned bytes belong to the caller, and a used pool is never refilled. */
export function randomPool(fill: FillRandom): RandomBytes {
  let pool = new Uint8Array(0)
  let used = 0
  return (count) => {
    if (count > poolBytes) return fill(new Uint8Array(count))
    if (used + count > pool.length) {
      const fresh = new Uint8Array(poolBytes)
      // If this throws, the empty bytes are never used.
      fill(fresh)
      pool = fresh
      used = 0
    }
    used += count
    return pool.subarray(used - count, used)
  }
}
