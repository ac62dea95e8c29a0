// Random bytes from the system's source, fetched in blocks: the system call costs more than the bytes.

import { randomFillSync } from 'node:crypto'

const poolBytes = 4_096
let pool = new Uint8Array(0)
let used = 0

/** Never returns the same bytes twice: returned bytes belong to the caller, and a used pool is never refilled. */
export function randomBytes(count: number): Uint8Array {
  if (count > poolBytes) return randomFillSync(new Uint8Array(count))
  if (used + count > pool.length) {
    pool = randomFillSync(new Uint8Array(poolBytes))
    used = 0
  }
  used += count
  return pool.subarray(used - count, used)
}
