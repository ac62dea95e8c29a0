import { expect, test } from 'vitest'
import { randomBytes } from './random.ts'

test('[RELAY-6] no random bytes are handed out twice, however many are wanted', () => {
  const counts = Array.from({ length: 2_000 }, (_, n) => 16 + (n % 13))
  const handed = [...counts, 5_000].map((count) => randomBytes(count))

  expect(handed.map(({ length }) => length)).toEqual([...counts, 5_000])
  expect(new Set(handed.map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(2_001)
  // Views on one pool must not overlap either: changing one changes no other.
  const before = handed.map((bytes) => Buffer.from(bytes).toString('hex'))
  handed[7]?.fill(0)
  expect(handed.filter((bytes, n) => Buffer.from(bytes).toString('hex') !== before[n])).toHaveLength(1)
})
