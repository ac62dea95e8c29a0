// Random bytes from the system's source, fetched many at a time: the way there costs more than the bytes.

import { randomFillSync } from 'node:crypto'

const poolBytes = 4_096
let pool = new Uint8Array(0)
let used = 0

/** Never the same bytes twice: what was handed out belongs to whoever asked, and the pool behind it is never refilled. */
export function randomBytes(count: number): Uint8Array {
  if (count > poolBytes) return randomFillSync(new Uint8Array(count))
  if (used + count > pool.length) {
    pool = randomFillSync(new Uint8Array(poolBytes))
    used = 0
  }
  used += count
  return pool.subarray(used - count, used)
}
