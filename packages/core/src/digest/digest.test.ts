import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type DigestDomain, digestOf, isDigest } from './digest.ts'

test('[DIGEST-1] a digest is SHA-256 over the domain, a line feed and the canonical text', () => {
  const bytes = Buffer.from('assent action v1\n{"a":"é","b":1}', 'utf8')

  expect(digestOf('action v1', { b: 1.0, a: 'é' })).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`)
})

test('[DIGEST-7] the same value has a different digest in another domain or version', () => {
  const digests = (['action v1', 'action v2', 'request v1', 'tool definition v1'] as const).map((d) => digestOf(d, {}))

  expect(new Set(digests).size).toBe(4)
})

test.each([
  '',
  'action',
  'Action v1',
  'action v0',
  'action v1\n',
  'action\nv1',
  'a  b v1',
  'action v1 v2',
  'v1',
  ' v1',
  'a1 v1',
  'action v',
  'x\naction v1',
])('[DIGEST-7] a domain that could be confused with another is refused: %j', (domain) => {
  expect(() => digestOf(domain as DigestDomain, {})).toThrow(
    expect.objectContaining({
      code: 'misconfigured',
      message: 'A digest domain is lower-case words and a version, such as "action v1".',
    }),
  )
})

test('[DIGEST-8] a digest is recognised by its exact shape', () => {
  const digest = digestOf('action v1', {})

  expect(isDigest(digest)).toBe(true)
  for (const other of [
    digest.toUpperCase(),
    `${digest}\n`,
    digest.slice(0, -1),
    `${digest}0`,
    digest.slice(7),
    `x${digest}`,
    [digest],
    7,
    null,
  ]) {
    expect(isDigest(other)).toBe(false)
  }
})

test('[DIGEST-7] a domain has any number of words and any version', () => {
  for (const domain of ['a v1', 'one two three v10', 'tool definition v99'] as const) {
    expect(isDigest(digestOf(domain, {}))).toBe(true)
  }
})

test('[DIGEST-5] a digest uses the size limit that it is given', () => {
  expect(isDigest(digestOf('action v1', [[1]], { bytes: 5, depth: 2 }))).toBe(true)
  expect(() => digestOf('action v1', [[1]], { bytes: 4, depth: 2 })).toThrow('larger than 4 bytes')
  expect(() => digestOf('action v1', [[1]], { bytes: 5, depth: 1 })).toThrow('deeper than 1 levels')
})
