import { expect, test } from 'vitest'
import { AlikeNames, foldedName } from './look-alike.ts'

test.each([
  ['upper case', 'ENV'],
  ['full width', 'ｅｎｖ'],
  ['an accent', 'énv'],
  ['a combining mark', 'e\u0301nv'],
  ['a zero-width space', 'env\u200b'],
  ['a byte order mark', '\ufeffenv'],
  ['a soft hyphen', 'e\u00adnv'],
  ['a word joiner', 'en\u2060v'],
  ['another direction', '\u202eenv'],
  ['an underscore', 'e_nv'],
  ['a space', ' env'],
  ['a control character', 'env\u0000'],
])('[POLICY-2] a name is alike to one with %s', (_what, other) => {
  expect(foldedName(other)).toBe(foldedName('env'))
})

test.each([
  ['dryRun', 'dry_run'],
  ['task', 'taſK'],
  ['straße', 'STRASSE'],
  ['istanbul', 'İstanbul'],
])('[POLICY-2] %s is alike to %s', (one, other) => {
  expect(foldedName(other)).toBe(foldedName(one))
})

test.each([
  ['env', 'envs'],
  ['env', 'nev'],
  ['k1', 'k2'],
  ['constructor', '__proto__'],
  ['a+b', 'ab'],
])('[POLICY-2] %s is not alike to %s', (one, other) => {
  expect(foldedName(other)).not.toBe(foldedName(one))
})

test('[POLICY-2] a name without letters is alike to no other, and a name is not alike to itself', () => {
  const names = new AlikeNames()
  const holder = JSON.parse('{"": 1, "_": 2, "__proto__": 3, "proto": 4, "PROTO": 5, "\\u200b": 6}')
  expect(names.inside(holder, '_')).toEqual([])
  expect(names.inside(holder, '')).toEqual([])
  expect(names.inside(holder, '__proto__')).toEqual(['proto', 'PROTO'])
  expect(names.inside({}, '__proto__')).toEqual([])
})

test('[POLICY-2] a call with very many members is read once', () => {
  const holder = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k_${index}`, 1]))
  const names = new AlikeNames()
  const startMs = performance.now()
  for (let path = 0; path < 1_000; path++) expect(names.inside(holder, `k${path}`)).toEqual([`k_${path}`])
  expect(performance.now() - startMs).toBeLessThan(10_000)
})
