import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isShort, shortened } from './short-names.ts'

test('[SERVER-4] a name within 64 characters stays unchanged, and a longer one becomes its start and a digest', () => {
  const long = `files__${'x'.repeat(58)}`

  expect(shortened('files__read')).toBe('files__read')
  expect(shortened(long.slice(0, 64))).toBe(long.slice(0, 64))
  expect(shortened(long)).toMatch(/^files__x{36}_[0-9a-f]{20}$/)
})

test('[SERVER-4] the short form never changes: clients and policies keep it', () => {
  expect(shortened(`files__${'read_'.repeat(20)}`)).toBe(
    'files__read_read_read_read_read_read_read_r_e2e4f6b37b481f5d801c',
  )
})

test('[SERVER-4] a name that has the form of a short name is shortened too', () => {
  const short = shortened('x'.repeat(65))

  expect(isShort(short)).toBe(true)
  expect(shortened(short)).not.toBe(short)
  expect(isShort(shortened(short))).toBe(true)
})

test('[SERVER-4] different names never share a short form, lone surrogates included', () => {
  const name = fc.string({ unit: 'binary', minLength: 60, maxLength: 90 })
  fc.assert(
    fc.property(name, name, (one, other) => {
      expect(shortened(one).length).toBeLessThanOrEqual(64)
      expect(shortened(one) === shortened(other)).toBe(one === other)
    }),
  )
  expect(shortened(`${'x'.repeat(70)}\ud800`)).not.toBe(shortened(`${'x'.repeat(70)}\ud801`))
})
