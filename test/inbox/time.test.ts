// Times as the web inbox writes them.
import { expect, test } from 'vitest'
import { ago, agoShort, duration, endedAt, left, leftText } from '../../packages/inbox-web/src/text/time.ts'

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000]
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

test('[INBOX-25] a deadline is a running clock under five minutes, and otherwise one number with its unit', () => {
  const cases: readonly [ms: number, text: string][] = [
    [0, '0:00'],
    [277 * second, '4:37'],
    [5 * minute, '5 min'],
    [119 * minute, '119 min'],
    [hour, '1 h'],
    [2 * hour, '2 h'],
    [2.4 * hour, '2 h'],
    [2.6 * hour, '3 h'],
    [day - 3 * minute, '24 h'],
    [day, '24 h'],
    [47.4 * hour, '47 h'],
    [2 * day - minute, '2 days'],
    [2 * day, '2 days'],
    [3 * day - 1, '3 days'],
  ]
  for (const [ms, text] of cases) expect(plain(left(ms))).toBe(text)
  expect(plain(leftText(23 * hour))).toBe('23 h left')
})

test('[INBOX-25] what ended more than a day ago has its date and time, and in another year its date', () => {
  const now = Date.UTC(2026, 10, 17, 12)
  expect(plain(endedAt(now - 23 * hour, now))).toBe('23 h ago')
  expect(plain(endedAt(now - day, now))).toBe('1 day ago')
  expect(endedAt(now - 3 * day, now)).toMatch(/14.*\d:\d\d/)
  expect(endedAt(now - 3 * day, now)).not.toContain('2026')
  expect(endedAt(now - 400 * day, now)).toMatch(/2025$/)
})

test('[INBOX-25] durations and ages use the same units, and a number never wraps away from its unit', () => {
  expect(plain(duration(500))).toBe('less than 1 s')
  expect(plain(duration(26 * second))).toBe('26 s')
  expect(plain(duration(13 * minute))).toBe('13 min')
  expect(ago(5 * second)).toBe('5\u00a0s\u00a0ago')
  expect(ago(999)).toBe('just\u00a0now')
  expect(agoShort(59 * second)).toBe('just\u00a0now')
})
