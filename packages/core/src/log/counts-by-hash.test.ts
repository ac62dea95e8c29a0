import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { CountsByHash } from './counts-by-hash.ts'

const hashOf = (text: string) => createHash('sha256').update(text).digest()

test('[TLOG-6] the order of any number of subjects is verified: each hash keeps its own number', () => {
  const counts = new CountsByHash()
  const expected = new Map<string, number>()
  let unexpected = 0
  for (let at = 0; at < 60_000; at++) {
    const subject = `ask_${at % 20_000}`
    const count = (expected.get(subject) ?? 0) + 1
    if (counts.get(hashOf(subject)) !== count - 1) unexpected += 1
    counts.set(hashOf(subject), count)
    expected.set(subject, count)
  }
  expect(unexpected).toBe(0)
  expect(counts.size).toBe(20_000)
  const wrong = [...expected].filter(([subject, count]) => counts.get(hashOf(subject)) !== count)
  expect(wrong).toEqual([])
  expect(counts.get(hashOf('unknown'))).toBe(0)
})

test('[TLOG-6] hashes that share a slot are different, also at the end of the table and after it has grown', () => {
  const counts = new CountsByHash()
  const hash = (last: number) =>
    Buffer.from([...Buffer.alloc(4, 0xff), ...Buffer.alloc(8), 0, 0, last >> 8, last & 255])
  for (let last = 0; last < 900; last++) counts.set(hash(last), last + 1)
  for (let last = 0; last < 900; last++) expect(counts.get(hash(last))).toBe(last + 1)
  expect(counts.get(hash(901))).toBe(0)
})
