import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestOf } from '../digest/digest.ts'
import type { Assertion } from '../presence/assertion.ts'
import { assertionDigest, encodeLeaf, isBodyOf, parseLeaf, saltedDigest } from './leaf.ts'

const salt = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
const body = '{"answer":{"action":"accept"}}'
const subject = `ask_${'0'.repeat(36)}`
const assertion: Assertion = {
  credentialId: 'Y3JlZA',
  clientData: 'e30',
  authenticatorData: 'AA',
  signature: 'c2ln',
  publicKey: 'a2V5',
  algorithm: 'ES256',
  rpId: 'localhost',
  origin: 'http://localhost',
  nonce: 'n',
  actionDigest: '',
}
const leaf = {
  subject,
  counter: 2,
  kind: 'ask.settled' as const,
  atMs: 1_794_700_000_123,
  bodyDigest: saltedDigest(salt, body),
}
const signed = { ...leaf, assertionDigest: assertionDigest(assertion) }

test('[TLOG-5] a leaf has the documented lines, so that another program can read it', () => {
  const digest = createHash('sha256').update('assent audit body v1\n').update(salt).update(body).digest('hex')
  expect(Buffer.from(encodeLeaf(leaf)).toString()).toBe(
    `assent audit leaf v1\n${subject}\n2\nask.settled\n1794700000123\nsha256:${digest}\n-\n`,
  )
  expect(Buffer.from(encodeLeaf(signed)).toString()).toContain(
    `\nsha256:${digest}\n${digestOf('audit assertion v1', assertion)}\n`,
  )
})

test('[TLOG-5] a leaf is read back as it was written', () => {
  expect(parseLeaf(encodeLeaf(leaf))).toEqual(leaf)
  expect(parseLeaf(encodeLeaf(signed))).toEqual(signed)
  const printable = fc.string({ unit: fc.integer({ min: 33, max: 126 }).map((c) => String.fromCharCode(c)) })
  fc.assert(
    fc.property(printable, fc.maxSafeNat(), fc.maxSafeNat(), fc.string(), (name, counter, atMs, text) => {
      fc.pre(name.length > 0 && name.length <= 128 && text.isWellFormed())
      const one = { ...leaf, subject: name, counter, atMs, bodyDigest: saltedDigest(salt, text) }
      expect(parseLeaf(encodeLeaf(one))).toEqual(one)
      expect(isBodyOf(one, salt, text)).toBe(true)
    }),
  )
})

test('[TLOG-5] the largest leaf has fewer than 512 bytes, and a larger entry is not written', () => {
  const largest = {
    ...signed,
    subject: 'x'.repeat(128),
    counter: Number.MAX_SAFE_INTEGER,
    kind: 'presence.changed' as const,
    atMs: Number.MAX_SAFE_INTEGER,
  }
  expect(encodeLeaf(largest).length).toBeLessThan(512)
  expect(parseLeaf(Buffer.concat([encodeLeaf(leaf), Buffer.alloc(512)]))).toBeUndefined()
})

test.each([
  { subject: '' },
  { subject: 'x'.repeat(129) },
  { subject: 'two words' },
  { subject: 'two\nlines' },
  { subject: 'é' },
  { counter: -1 },
  { counter: 1.5 },
  { counter: Number.NaN },
  { atMs: -1 },
  { atMs: 2 ** 53 },
  { bodyDigest: '' },
  { bodyDigest: 'sha256:00' },
  { bodyDigest: leaf.bodyDigest.toUpperCase() },
  { assertionDigest: '' },
  { assertionDigest: '-' },
  { assertionDigest: 'x' },
])('[TLOG-5] an entry with %j is not written as a leaf', (change) => {
  expect(() => encodeLeaf({ ...leaf, ...change })).toThrow('does not fit in a leaf')
})

const text = Buffer.from(encodeLeaf(signed)).toString()
test.each([
  ['another version', text.replace('v1', 'v2')],
  ['a line more', `${text}\n`],
  ['a line less', text.slice(0, text.lastIndexOf('sha256:'))],
  ['no final line feed', text.slice(0, -1)],
  ['carriage returns', text.replaceAll('\n', '\r\n')],
  ['a leading zero', text.replace('\n2\n', '\n02\n')],
  ['a sign', text.replace('\n2\n', '\n+2\n')],
  ['a space', text.replace('\n2\n', '\n2 \n')],
  ['an upper-case kind', text.replace('ask.settled', 'Ask.settled')],
  ['an empty kind', text.replace('ask.settled', '')],
  ['a kind that is too long', text.replace('ask.settled', 'a'.repeat(33))],
  ['an upper-case digest', text.replace(/sha256:.*\n/, (line) => line.toUpperCase())],
  ['nothing', ''],
])('[TLOG-5] a leaf with %s is refused', (_, changed) => {
  expect(parseLeaf(Buffer.from(changed))).toBeUndefined()
})

test('[TLOG-5] bytes that are not UTF-8 are refused, and kinds of later versions are read', () => {
  expect(parseLeaf(Buffer.from([...Buffer.from(text).subarray(0, -1), 0xff]))).toBeUndefined()
  expect(parseLeaf(Buffer.from(text.replace('ask.settled', 'ask.reopened')))?.kind).toBe('ask.reopened')
})

test('[TLOG-5] a body is verified with its salt, and with no other salt or body', () => {
  expect(isBodyOf(leaf, salt, body)).toBe(true)
  expect(isBodyOf(leaf, salt, `${body} `)).toBe(false)
  expect(isBodyOf(leaf, Buffer.alloc(16), body)).toBe(false)
  expect(isBodyOf(leaf, salt.subarray(1), body)).toBe(false)
  // The first byte of the body cannot move into the salt.
  expect(isBodyOf(leaf, Buffer.concat([salt, Buffer.from('{')]), body.slice(1))).toBe(false)
  expect(isBodyOf({ ...leaf, bodyDigest: saltedDigest(salt, '\ufffd') }, salt, '\ud800')).toBe(false)
  expect(() => saltedDigest(new Uint8Array(0), body)).toThrow('16 bytes')
})

test('[TLOG-5] without its salt, a short body cannot be found by trying values', () => {
  // The digest that a person who has only the leaf could compute for every possible answer.
  const guesses = ['accept', 'decline', body].flatMap((one) => [
    `sha256:${createHash('sha256').update(one).digest('hex')}`,
    `sha256:${createHash('sha256').update(`assent audit body v1\n${one}`).digest('hex')}`,
  ])
  expect(guesses).not.toContain(leaf.bodyDigest)
  expect(saltedDigest(Buffer.alloc(16, 1), body)).not.toBe(leaf.bodyDigest)
  expect(Buffer.from(encodeLeaf(leaf)).toString()).not.toContain(salt.toString('hex'))
})

test('[TLOG-5] the digest of an assertion covers every part of it', () => {
  for (const name of Object.keys(assertion)) {
    expect(assertionDigest({ ...assertion, [name]: 'other' } as Assertion)).not.toBe(signed.assertionDigest)
  }
})
