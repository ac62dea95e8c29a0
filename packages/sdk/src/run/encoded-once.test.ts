import { choice, encodeForm, form, text } from '@assent/core'
import { expect, test } from 'vitest'
import { encodedOnce } from './encoded-once.ts'

const asked = () => form({ region: choice({ eu: 'Europe', us: 'America' }), why: text() })

test('[SDK-19] a form is told to a client as its revision says it, as the same object every time', () => {
  const first = encodedOnce(asked(), '2026-07-28')
  expect(first).toEqual(encodeForm(asked(), '2026-07-28'))
  expect(encodedOnce(asked(), '2026-07-28')).toBe(first)
  expect(encodedOnce(form({ why: text() }), '2026-07-28')).not.toBe(first)
  expect(encodedOnce(asked(), '2025-06-18')).toEqual(encodeForm(asked(), '2025-06-18'))
})

test('[SDK-19] what is shared by all calls cannot be changed, to its last list', () => {
  const isFrozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen))
  // A form of its own, because one that was asked before is not encoded again.
  const form = { fields: [{ kind: 'text', name: 'note', required: true, default: 'none' }] } as const
  expect(isFrozen(encodedOnce(form, '2026-07-28'))).toBe(true)
})
