import { expect, test } from 'vitest'
import { linearPatterns } from './patterns.ts'

function matches(pattern: string, text: string): boolean | string {
  const compiled = linearPatterns(pattern)
  return compiled.ok ? compiled.matches(text) : compiled.reason
}

test.each([
  ['^[A-Za-z]+$', 'Display', 'd1'],
  ['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'my-app-1', 'My App'],
  ['^(?<major>0|[1-9]\\d*)\\.(?<minor>\\d+)$', '1.2', '1'],
  ['^[\\u0020-\\u007E]+$', 'ascii', 'é'],
  ['^\\p{L}+$', 'Zoë', 'Z1'],
  ['^[\\w.-]+\\/[\\w.-]+$', 'acme/app', 'acme'],
  ['\\S', ' a ', '   '],
  ['^.{1,250}$', 'a', ''],
])('[FORM-20] the pattern %s matches %j and not %j', (pattern, good, bad) => {
  expect(matches(pattern, good)).toBe(true)
  expect(matches(pattern, bad)).toBe(false)
})

test.each(['(?=a)b', '(?!a)b', '(?<=a)b', '(a)\\1', '(', '[z-a]', '\\p{Nothing}'])(
  '[FORM-20] the pattern %s is refused with a reason',
  (pattern) => {
    expect(matches(pattern, 'b')).toContain('cannot be checked in linear time')
  },
)

test('[FORM-20] a pattern that would make a backtracking engine stall takes milliseconds', () => {
  const began = performance.now()

  for (const pattern of ['^(a+)+$', '^(a|aa)+$', '^(a|a?)+$'])
    expect(matches(pattern, `${'a'.repeat(15_000)}!`)).toBe(false)

  // A backtracking engine would take years.
  expect(performance.now() - began).toBeLessThan(20_000)
})

test('[FORM-20] a pattern that is too large is refused, and a larger pattern accepts only shorter texts', () => {
  expect(matches('(a?){1000}a{1000}', 'a')).toContain('too large')
  expect(linearPatterns('^.{1,200}$')).toMatchObject({ ok: true, maxChars: expect.any(Number) })
  const large = linearPatterns('^.{1,200}$')
  const small = linearPatterns('^[a-z]+$')
  if (!large.ok || !small.ok) throw new Error('Both can be compiled.')
  expect(large.maxChars).toBeLessThan(small.maxChars ?? 0)
})
