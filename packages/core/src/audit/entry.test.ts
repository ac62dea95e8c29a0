import { expect, test } from 'vitest'
import { assertionDigest, parseLeaf, saltedDigest } from '../log/leaf.ts'
import type { Assertion } from '../presence/assertion.ts'
import { type AuditEntry, assertionIn, entryBody, entryProblem, leafHashText, leafOf } from './entry.ts'

const salt = '0f'.repeat(16)
const assertion: Assertion = {
  credentialId: 'a2V5',
  clientData: 'ZGF0YQ',
  authenticatorData: 'YXV0aA',
  signature: 'c2ln',
  publicKey: 'cHVi',
  algorithm: 'ES256',
  rpId: 'localhost',
  origin: 'http://localhost:7421',
  nonce: 'n',
  actionDigest: '',
}
const other: Assertion = { ...assertion, signature: 'b3RoZXI' }
const ofAssertion = { assertionDigest: assertionDigest(assertion) }

/** An entry whose digests are given here and not derived from its text. */
function anEntry(body: string, digests: { readonly assertionDigest?: string } = {}): AuditEntry {
  const digest = saltedDigest(Buffer.from(salt, 'hex'), body)
  const known = { atMs: 1_000, kind: 'ask.settled', subject: 'ask_1', counter: 2, digest, ...digests } as const
  return { tenant: 'acme', seq: 5, salt, body, ...known, hash: leafHashText(leafOf(known) ?? new Uint8Array(0)) }
}

test('[TLOG-5] the leaf of an entry has the digest of its assertion, if there is one', () => {
  const read = (entry: AuditEntry) => parseLeaf(leafOf(entry) ?? new Uint8Array(0))
  const digest = saltedDigest(Buffer.from(salt, 'hex'), '{}')
  const leaf = { subject: 'ask_1', counter: 2, kind: 'ask.settled', atMs: 1_000, bodyDigest: digest }

  expect(read(anEntry('{}'))).toEqual(leaf)
  expect(read(anEntry('{}', ofAssertion))).toEqual({ ...leaf, ...ofAssertion })
})

test('[TLOG-5] what is no audit entry has no leaf, and other errors are passed on', () => {
  expect(leafOf({ ...anEntry('{}'), subject: 'two\nlines' })).toBeUndefined()
  expect(leafOf({ ...anEntry('{}'), counter: -1 })).toBeUndefined()
  expect(entryProblem({ ...anEntry('{}'), counter: -1 })).toBe('Entry 5 was changed: it is not an audit entry.')
  const notText = { toString: () => { throw new TypeError('not a text') } } // biome-ignore format: short
  expect(() => leafOf({ ...anEntry('{}'), subject: notText as unknown as string })).toThrow('not a text')
})

test.each(['presence', 'authorisedBy'])('[TLOG-5] an assertion in %s belongs to the leaf', (member) => {
  const signed = JSON.stringify({ [member]: assertion })
  const problem = 'Entry 5 was changed: its signature does not match its digest.'

  expect(entryProblem(anEntry(signed, ofAssertion))).toBeUndefined()
  expect(entryProblem(anEntry(signed))).toBe(problem)
  expect(entryProblem(anEntry(signed, { assertionDigest: assertionDigest(other) }))).toBe(problem)
  expect(entryProblem(anEntry('{}', ofAssertion))).toBe(problem)
  expect(entryProblem(anEntry('{}'))).toBeUndefined()
})

test('[TLOG-5] the first member that is there counts, and only if it is an assertion', () => {
  expect(assertionIn({ presence: assertion, authorisedBy: other })).toEqual(assertion)
  expect(assertionIn({ authorisedBy: other })).toEqual(other)
  expect(assertionIn({ presence: 'none', authorisedBy: other })).toBeUndefined()
  expect(assertionIn({ presence: { ...assertion, algorithm: 'none' } })).toBeUndefined()
  for (const value of [{}, [], null, 'text', undefined]) expect(assertionIn(value)).toBeUndefined()
})

test('[TLOG-5] the text of an entry is read exactly, or has no members', () => {
  expect(entryBody({ body: '{"comment":"\\ud800"}' })).toEqual({ comment: '\ud800' })
  expect(entryBody({ body: '{"n":9007199254740993}' })).toEqual({})
  expect(entryBody({ body: '{"a":1,"a":2}' })).toEqual({})
  expect(entryBody({ body: '[1]' })).toEqual({})
  expect(entryBody({ body: 'no JSON' })).toEqual({})
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  expect(entryBody({ body: nested(20) })).not.toEqual({})
  expect(() => entryBody({ body: undefined as unknown as string })).toThrow(TypeError)
})
