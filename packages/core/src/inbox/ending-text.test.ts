import { expect, test } from 'vitest'
import { agoText } from './ending-text.ts'

test.each([
  [0, 'just now'],
  [999, 'just now'],
  [1_000, '1 s ago'],
  [60_000, '1 min ago'],
  [2 * 86_400_000, '2 days ago'],
])('[DESK-5] %i ms is shown as %s', (ms, words) => {
  expect(agoText(ms)).toBe(words)
})
