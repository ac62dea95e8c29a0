import { domainToASCII, domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodePunycode } from './punycode.ts'

// The samples of RFC 3492, section 7.1, and real names.
test.each([
  ['ihqwcrb4cv8a8dqg056pqjye', '他们为什么不说中文'],
  ['bcher-kva', 'bücher'],
  ['80ak6aa92e', 'аррӏе'],
  ['3b-ww4c5e180e575a65lsy2b', '3年b組金八先生'],
  ['', ''],
  ['-> $1.00 <--', '-> $1.00 <-'],
  ['ls8h', '💩'],
])('[SCREEN-7] %s reads %s', (encoded, letters) => {
  expect(decodePunycode(encoded)).toBe(letters)
})

test.each([
  ['a letter beyond ASCII', 'ü-kva'],
  ['a capital', 'bcher-KVA'],
  ['a sign', 'bcher-kv!'],
  ['a number without an end', 'bcher-9'],
  ['a number too large', 'zzzzzzzzzzzzzzzzz'],
  ['a character beyond Unicode', '99999999'],
  ['a surrogate', 'ib9b'],
])('[SCREEN-7] text with %s is not punycode', (_, encoded) => {
  expect(decodePunycode(encoded)).toBeUndefined()
})

test('[SCREEN-7] every name is decoded as the platform decodes it', () => {
  const letters = fc.constantFrom(...'abz09-äöüßéñçłøабвгдеαβγδअआकख日本語中文한국어ابتאבגกขค')
  fc.assert(
    fc.property(fc.string({ unit: letters, minLength: 1, maxLength: 20 }), (name) => {
      const ascii = domainToASCII(name)
      fc.pre(ascii.startsWith('xn--'))
      expect(decodePunycode(ascii.slice(4))).toBe(domainToUnicode(ascii))
    }),
    { numRuns: 2_000 },
  )
})

test('[SCREEN-13] no text makes the decoder throw', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(['string', 'undefined']).toContain(typeof decodePunycode(text))
    }),
  )
})
