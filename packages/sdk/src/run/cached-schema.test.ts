import { choice, encodeForm, form, text } from '@assent/core'
import { expect, test } from 'vitest'
import { cachedSchema } from './cached-schema.ts'

const asked = () => form({ region: choice({ eu: 'Europe', us: 'America' }), why: text() })

test('[SDK-19] a form is encoded as its revision defines, as the same object every time', () => {
  const first = cachedSchema(asked(), '2026-07-28')
  expect(first).toEqual(encodeForm(asked(), '2026-07-28'))
  expect(cachedSchema(asked(), '2026-07-28')).toBe(first)
  expect(cachedSchema(form({ why: text() }), '2026-07-28')).not.toBe(first)
  expect(cachedSchema(asked(), '2025-06-18')).toEqual(encodeForm(asked(), '2025-06-18'))
})

test('[SDK-19] the shared schema is deeply frozen', () => {
  const isFrozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen))
  // A form that no other test uses, because a cached form is not encoded again.
  const form = { fields: [{ kind: 'text', name: 'note', required: true, default: 'none' }] } as const
  expect(isFrozen(cachedSchema(form, '2026-07-28'))).toBe(true)
})
