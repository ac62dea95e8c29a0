// Which documents of an issuer are read, how much of them, and why that failed.

import { expect, test } from 'vitest'
import { fetchReason, isSafe, textWithin } from './issuer-keys.ts'

test.each([
  ['https://issuer.example.com', true],
  ['http://127.0.0.1:8080', true],
  ['http://localhost', true],
  ['http://[::1]:80', true],
  ['http://issuer.example.com', false],
  ['http://10.0.0.1', false],
  ['ftp://127.0.0.1', false],
  ['file://localhost/keys', false],
])('[IDENT-7] whether %s may be read: %s', (address, isAllowed) => {
  expect(isSafe(new URL(address))).toBe(isAllowed)
})

test('[IDENT-7] the reason of a failed fetch is that of its cause', () => {
  const cause = new Error('connect ECONNREFUSED')

  expect(fetchReason(new TypeError('fetch failed', { cause }))).toBe('connect ECONNREFUSED')
  expect(fetchReason(new TypeError('fetch failed'))).toBe('fetch failed')
  expect(fetchReason(new Error('Too large.', { cause }))).toBe('Too large.')
})

test('[IDENT-7] a response is read up to the limit, in bytes', async () => {
  const bytes = Buffer.from('aü')
  const chunks = () =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
          controller.close()
        },
      }),
    )

  expect(await textWithin(chunks(), 3)).toBe('aü')
  await expect(textWithin(chunks(), 2)).rejects.toThrow('Its response is too large.')
  expect(await textWithin(new Response(null), 0)).toBe('')
})
