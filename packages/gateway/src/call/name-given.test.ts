import { expect, test } from 'vitest'
import { nameGiven } from './screen/screen-questions.ts'

const schema = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] }
const accept = (sure: boolean) => ({ result: { action: 'accept', content: { sure } } })

test('[REPLY-12] the name of a forwarded answer is what the person chose', () => {
  expect(nameGiven(schema, accept(true))).toBe('yes')
  expect(nameGiven(schema, accept(false))).toBe('no')
  expect(nameGiven(true, { result: { action: 'accept' } })).toBe('approved')
  expect(nameGiven(schema, { result: { action: 'decline' } })).toBe('declined')
  expect(nameGiven(schema, { result: { action: 'cancel' } })).toBe('dismissed')
})

test('[REPLY-12] an error, and an answer that did not fit, have no answer name', () => {
  expect(nameGiven(schema, { error: { code: -32000, message: 'expired' } })).toBeUndefined()
  expect(nameGiven(schema, { result: { action: 'cancel' }, isUnfit: true })).toBeUndefined()
})
