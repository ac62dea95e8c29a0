import { expect, test } from 'vitest'
import { agoText, askedAgainText, endingText, expiredText, settledText, settledTogetherText } from './ending-text.ts'

test.each([
  [0, 'just now'],
  [999, 'just now'],
  [1_000, '1 s ago'],
  [60_000, '1 min ago'],
  [2 * 3_600_000, '2 h ago'],
  [86_400_000, '1 day ago'],
  [2 * 86_400_000, '2 days ago'],
])('[DESK-5] %i ms is shown as %s', (ms, words) => {
  expect(agoText(ms)).toBe(words)
})

test('[DESK-5] an ending names who decided, how and where', () => {
  const you = { name: 'Ada', isYou: true }
  const other = { name: 'Bob', isYou: false }
  expect(settledText(you, 'approved', 'client')).toBe('You approved in your client')
  expect(settledText(other, 'approved', 'client')).toBe('Bob approved in their client')
  expect(settledText(other, 'approved', 'inbox', true)).toBe('Bob approved with a passkey')
  expect(settledText(you, 'declined', 'inbox')).toBe('You declined')
  expect(settledText(you, 'declined', 'terminal')).toBe('You declined from the terminal')
  const third = { name: 'Cleo', isYou: false }
  expect(settledTogetherText([other, third], 'approved this')).toBe('Bob and Cleo approved this')
  expect(settledTogetherText([other, you, third], 'approved this')).toBe('You, Bob and Cleo approved this')
})

test('[DESK-5] an answer that came too fast is named, also in an ask that then expired', () => {
  const fast = { action: 'accept', afterMs: 1_200 } as const
  expect(askedAgainText(fast)).toBe('Accepted within 2 s, asked again')
  expect(expiredText(fast)).toBe('Accepted within 2 s, asked again, then expired')
  expect(expiredText(undefined)).toBe('Expired without an answer')
  const expired = { state: { kind: 'expired', what: 'Expired without an answer', atMs: 0 } } as const
  expect(endingText(expired as never, 60_000)).toBe('Expired without an answer, 1 min ago.')
  expect(endingText({ state: { kind: 'open' } } as never, 0)).toBeUndefined()
})
