import { expect, test } from 'vitest'
import { nameGiven } from './judge-wanted.ts'

const schema = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] }
const accept = (sure: boolean) => ({ result: { action: 'accept', content: { sure } } })

test('[REPLY-12] an answer that passes the gateway is named as the person gave it', () => {
  expect(nameGiven(schema, accept(true))).toBe('yes')
  expect(nameGiven(schema, accept(false))).toBe('no')
  expect(nameGiven(true, { result: { action: 'accept' } })).toBe('approved')
  expect(nameGiven(schema, { result: { action: 'decline' } })).toBe('declined')
  expect(nameGiven(schema, { result: { action: 'cancel' } })).toBe('dismissed')
})

test('[REPLY-12] an error, and an answer that did not fit, are no answers of a person', () => {
  expect(nameGiven(schema, { error: { code: -32000, message: 'expired' } })).toBeUndefined()
  expect(nameGiven(schema, { result: { action: 'cancel' }, isUnfit: true })).toBeUndefined()
})
