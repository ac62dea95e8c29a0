import fc from 'fast-check'
import { expect, test } from 'vitest'
import { looksLikeSecret } from './secret-shapes.ts'

// Put together here, so that scanners do not take this file for a leak.
const made = {
  pem: ['-----BEGIN', 'RSA PRIVATE KEY-----'].join(' '),
  jwt: ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'].join('.'),
  unsigned: `${['eyJhbGciOiJub25lIn0', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0'].join('.')}.`,
}

test.each([
  ['private-key', made.pem],
  ['private-key', `Here it is:\n${made.pem}\nMIIE…`],
  ['private-key', '-----BEGIN OPENSSH ' + 'PRIVATE KEY-----'],
  ['private-key', '-----BEGIN PGP ' + 'PRIVATE KEY BLOCK-----'],
  ['private-key', '-----BEGIN\nPRIVATE KEY-----'],
  ['web-token', made.jwt],
  ['web-token', `Bearer ${made.jwt}`],
  ['web-token', made.unsigned],
  ['service-key', `ghp_${'a1B2'.repeat(9)}`],
  ['service-key', `github_pat_${'a1B2'.repeat(9)}`],
  ['service-key', `my key is sk-proj-${'a1B2'.repeat(9)}`],
  ['service-key', `sk-${'a1B2'.repeat(12)}`],
  ['service-key', `AKIA${'ABCD'.repeat(4)}`],
  ['service-key', `xoxb-${'1234'.repeat(6)}`],
  ['service-key', `glpat-${'a1B2'.repeat(5)}`],
  ['service-key', `AIza${'a1B2c'.repeat(7)}`],
  ['service-key', `sk_live_${'a1B2'.repeat(5)}`],
  ['service-key', `gh\u200bp_${'a1B2'.repeat(9)}`],
  ['url-with-password', 'postgres://app:hunter2@db.example/prod'],
  ['url-with-password', 'redis://:hunter2@cache.example'],
  ['card-number', '4111111111111111'],
  ['card-number', 'It is 5500 0000 0000 0004.'],
  ['card-number', '3400-000000-00009'],
  ['card-number', '6011 0000 0000 0004'],
  ['card-number', '2223003122003222'],
  ['card-number', '４１１１１１１１１１１１１１１１'],
] as const)('[SCREEN-5] a %s is recognised in %j', (kind, answer) => {
  expect(looksLikeSecret(answer)).toBe(kind)
})

test.each([
  '',
  'yes',
  'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  '41111111-1111-1111-1111-111111111111',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  '978-3-16-148410-0',
  '9783161484100',
  '4111111111111112',
  '1234567890123456',
  '4111 1111 11111111',
  '+49 30 901820 1234',
  '2026-07-28T12:00:00Z',
  '1753704000000',
  'https://example.com/a:b@c',
  'mailto:someone@example.com',
  'user@example.com',
  'sk-learn-pipeline-with-a-long-name-2024',
  'eyJ is how a JWT begins',
  'ghp_short',
  'AKIA is a prefix',
  '-----BEGIN CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----',
  'the task-sk-1 branch',
])('[SCREEN-5] %j is not taken for a secret', (answer) => {
  expect(looksLikeSecret(answer)).toBeUndefined()
})

test('[SCREEN-5] no UUID is taken for a secret', () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      expect(looksLikeSecret(id)).toBeUndefined()
    }),
  )
})

test('[SCREEN-13] no answer makes the check throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (answer) => {
      expect(['string', 'undefined']).toContain(typeof looksLikeSecret(answer))
    }),
  )
})
