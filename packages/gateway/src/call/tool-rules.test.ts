import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isOffered, matches } from './tool-rules.ts'

test.each([
  ['read', 'read', true],
  ['read', 'reader', false],
  ['*', '', true],
  ['debug_*', 'debug_', true],
  ['debug_*', 'my_debug_x', false],
  ['*_debug', 'x_debug', true],
  ['*debug*', 'a debug b', true],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['a*b*c', 'a-c-b', false],
  ['a*b*c', 'abbbc', true],
  ['a.c', 'abc', false],
  ['**', 'anything', true],
])('[SERVER-1] the pattern %s matches %s: %s', (pattern, name, isMatch) => {
  expect(matches(pattern, name)).toBe(isMatch)
})

test('[SERVER-1] a star matches any text, whatever characters the name contains', () => {
  const text = fc.string({ unit: 'binary', maxLength: 8 }).filter((one) => !one.includes('*'))
  fc.assert(
    fc.property(fc.array(text, { minLength: 2, maxLength: 5 }), fc.array(text, { maxLength: 4 }), (parts, between) => {
      const name = parts.map((part, at) => (at === 0 ? part : `${between[at - 1] ?? ''}${part}`)).join('')
      expect(matches(parts.join('*'), name)).toBe(true)
    }),
  )
})

test('[SERVER-1] a pattern with many stars takes no longer for a name that almost matches it', () => {
  const began = performance.now()

  expect(matches(`${'*a'.repeat(60)}b`, 'a'.repeat(100_000))).toBe(false)
  // With backtracking it would take years.
  expect(performance.now() - began).toBeLessThan(20_000)
})

test('[SERVER-1] deny wins over allow, and an empty allow offers nothing', () => {
  const rules = { allow: ['read_*', 'write'], deny: ['*_secret'], rename: {} }

  expect(['read_a', 'write', 'read_secret', 'other'].filter((tool) => isOffered(rules, tool))).toEqual([
    'read_a',
    'write',
  ])
  expect(isOffered({ allow: [], deny: [], rename: {} }, 'read_a')).toBe(false)
})
