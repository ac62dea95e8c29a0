import { boolean, form, number } from '@assent/core'
import { expect, test } from 'vitest'
import { sdkLimits } from './limits.ts'
import { Remembered } from './remembered.ts'
import { encodedOnce } from './run/encoded-once.ts'

test('[SDK-2] the same form is told as the same schema object, and nobody can change it', () => {
  const one = encodedOnce(form({ n: number({ min: 1 }) }), '2026-07-28')
  const again = encodedOnce(form({ n: number({ min: 1 }) }), '2026-07-28')
  const other = encodedOnce(form({ n: number({ min: 2 }) }), '2026-07-28')
  if (!one.ok || !again.ok || !other.ok) throw new Error('these can be said')

  expect(again.schema).toBe(one.schema)
  expect(other.schema).not.toEqual(one.schema)
  expect(Object.isFrozen(one.schema.properties)).toBe(true)
  expect(encodedOnce(form({ b: boolean() }), '2025-06-18')).toMatchObject({ ok: true })
})

test('[SDK-2] what is remembered is bounded, and what is too long is not kept', () => {
  const remembered = new Remembered<object>()
  const first = remembered.of('0', () => ({}))
  for (let index = 1; index < sdkLimits.remembered; index++) remembered.of(String(index), () => ({}))
  expect(remembered.of('0', () => ({}))).toBe(first)
  remembered.of('one more', () => ({}))
  expect(remembered.of('0', () => ({}))).not.toBe(first)

  const long = 'x'.repeat(sdkLimits.rememberedNameChars + 1)
  expect(remembered.of(long, () => ({}))).not.toBe(remembered.of(long, () => ({})))
})
