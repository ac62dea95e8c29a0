import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type DigestDomain, digestOf, isDigest } from './digest.ts'

test('[DIGEST-1] a digest is SHA-256 over the domain, a line feed and the canonical text', () => {
  const bytes = Buffer.from('assent action v1\n{"a":"é","b":1}', 'utf8')

  expect(digestOf('action v1', { b: 1.0, a: 'é' })).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`)
})

test('[DIGEST-7] the same value has another digest in another domain and in another edition', () => {
  const digests = (['action v1', 'action v2', 'request v1', 'tool definition v1'] as const).map((d) => digestOf(d, {}))

  expect(new Set(digests).size).toBe(4)
})

test.each(['', 'action', 'Action v1', 'action v0', 'action v1\n', 'action\nv1', 'a  b v1', 'action v1 v2', 'v1'])(
  '[DIGEST-7] a domain that could be confused with another is refused: %j',
  (domain) => {
    expect(() => digestOf(domain as DigestDomain, {})).toThrow(expect.objectContaining({ code: 'misconfigured' }))
  },
)

test('[DIGEST-8] a digest is recognised by its exact shape', () => {
  const digest = digestOf('action v1', {})

  expect(isDigest(digest)).toBe(true)
  for (const other of [
    digest.toUpperCase(),
    `${digest}\n`,
    digest.slice(0, -1),
    `${digest}0`,
    digest.slice(7),
    7,
    null,
  ]) {
    expect(isDigest(other)).toBe(false)
  }
})
