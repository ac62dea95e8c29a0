import { expect, test } from 'vitest'
import { agoInWords } from './times.ts'

test.each([
  [0, 'just now'],
  [999, 'just now'],
  [1_000, '1 s ago'],
  [60_000, '1 min ago'],
  [2 * 86_400_000, '2 d ago'],
])('[DESK-5] %i ms are told as %s', (ms, words) => {
  expect(agoInWords(ms)).toBe(words)
})
