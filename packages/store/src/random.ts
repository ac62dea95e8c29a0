// Random bytes for ids, read from the system in blocks: single reads would cost more than the rest of an id.

import { randomFillSync } from 'node:crypto'

const pool = new Uint8Array(4_096)
let used = pool.length

/** Each byte is returned once. */
export function randomBytes(count: number): Uint8Array {
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  return pool.slice(used - count, used)
}
