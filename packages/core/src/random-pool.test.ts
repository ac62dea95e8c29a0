import { randomFillSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { randomPool } from './random-pool.ts'

const randomBytes = randomPool(randomFillSync)

test('[RELAY-6] no random bytes are returned twice, for any count', () => {
  const counts = Array.from({ length: 2_000 }, (_, n) => 16 + (n % 13))
  const returned = [...counts, 5_000].map((count) => randomBytes(count))

  expect(returned.map(({ length }) => length)).toEqual([...counts, 5_000])
  expect(new Set(returned.map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(2_001)
  // Views on one pool must not overlap either: changing one changes no other.
  const before = returned.map((bytes) => Buffer.from(bytes).toString('hex'))
  returned[7]?.fill(0)
  expect(returned.filter((bytes, n) => Buffer.from(bytes).toString('hex') !== before[n])).toHaveLength(1)
})

test('[RELAY-6] a source that fails once does not lead to predictable bytes', () => {
  let calls = 0
  const random = randomPool((bytes) => {
    calls += 1
    if (calls === 1) throw new Error('not available yet')
    return randomFillSync(bytes)
  })

  expect(() => random(32)).toThrow('not available yet')
  expect(random(32)).not.toEqual(new Uint8Array(32))
})
