import { expect, test } from 'vitest'
import { leftInWords } from './times.ts'

const [second, minute, hour] = [1_000, 60_000, 3_600_000]

test.each([
  [-1, '0:00'],
  [9 * second, '0:09'],
  [4 * minute + 37 * second, '4:37'],
  [5 * minute, '5 min'],
  [hour, '60 min'],
  [2 * hour, '2 h'],
  [24 * hour - 1, '24 h'],
  [48 * hour, '2 d'],
])('[DESK-11] %d ms are written as %s', (ms, text) => {
  expect(leftInWords(ms)).toBe(text)
})
