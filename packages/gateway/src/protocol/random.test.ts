import { expect, test } from 'vitest'
import { randomBytes } from './random.ts'

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
