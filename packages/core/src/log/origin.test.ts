import { expect, test } from 'vitest'
import { isOriginOf, logOrigin } from './origin.ts'

const random = Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 255)

test('[AUDIT-5] the name of a log is that of one tenant, whatever characters the tenant has', () => {
  expect(logOrigin('acme', random)).toBe('assent/00010203040506ff/acme')
  const tenants = [
    'acme',
    'me',
    'a/acme',
    'a b',
    'acme+1',
    '%',
    'ä',
    '\n',
    'x'.repeat(128),
    'x'.repeat(129),
    'ä'.repeat(99),
  ]
  for (const tenant of tenants) {
    const origin = logOrigin(tenant, random)
    expect(origin).toMatch(/^assent\/[0-9a-f]{16}\/[!-*,-.0-~]{1,128}$/)
    expect(tenants.filter((other) => isOriginOf(origin, other))).toEqual([tenant])
  }
})

test.each([
  'acme',
  'assent/acme',
  'assent/00010203040506FF/acme',
  'assent/00010203040506ff/acme/acme',
  'x/00010203040506ff/acme',
])('[AUDIT-5] %s is not the name of a log of acme', (origin) => {
  expect(isOriginOf(origin, 'acme')).toBe(false)
})

test('[AUDIT-5] a tenant that is not text has no log', () => {
  expect(isOriginOf('assent/00010203040506ff/\ud800', '\ud800')).toBe(false)
})
