import { expect, test } from 'vitest'
import { answerMeta, askMeta, readAnswerMeta, readAskMeta, understandsAskMeta } from './ask-meta.ts'

test('[META-1] the asker’s wait and a comment are read back as they were written', () => {
  expect(readAskMeta({ _meta: askMeta({ waitMs: 4_000, checked: 'Git: 2 commits.' }) })).toEqual({
    waitMs: 4_000,
    checked: 'Git: 2 commits.',
  })
  expect(readAnswerMeta({ action: 'decline', _meta: answerMeta({ comment: 'too early' }) })).toEqual({
    comment: 'too early',
  })
})

test('[META-1] a wait can be marked as the default of its asker, and only a wait can', () => {
  const read = (member: object) => readAskMeta({ _meta: { 'assent/ask': member } })
  expect(read({ waitMs: 300_000, isDefault: true })).toEqual({ waitMs: 300_000, isDefault: true })
  expect(read({ isDefault: true })).toEqual({})
  for (const isDefault of [false, 1, 'true', null])
    expect(read({ waitMs: 4_000, isDefault })).toEqual({ waitMs: 4_000 })
})

test.each([
  undefined,
  null,
  'assent/ask',
  {},
  { _meta: null },
  { _meta: { 'assent/ask': true } },
  { _meta: Object.create({ 'assent/ask': {} }) },
])('[META-2] a question without a valid member is not from an asker of ours: %j', (params) => {
  expect(readAskMeta(params)).toBeUndefined()
})

test.each([
  { waitMs: -1 },
  { waitMs: 1.5 },
  { waitMs: '4000' },
  { waitMs: 1e300 },
  { checked: '' },
  { checked: 'x'.repeat(8_193) },
  { checked: '\ud800' },
])('[META-2] a malformed part counts as absent: %j', (member) => {
  expect(readAskMeta({ _meta: { 'assent/ask': member } })).toEqual({})
})

test.each([{ comment: '' }, { comment: 'x'.repeat(2_001) }, { comment: 7 }, { comment: '\udfff' }])(
  '[META-2] a malformed comment counts as absent: %j',
  (member) => {
    expect(readAnswerMeta({ _meta: { 'assent/answer': member } })).toEqual({})
  },
)

test('[META-3] only a declared experimental capability says that the other side understands the members', () => {
  expect(understandsAskMeta({ experimental: { 'assent/ask': {} } })).toBe(true)
  for (const capabilities of [undefined, {}, { experimental: {} }, { experimental: { 'assent/ask': true } }]) {
    expect(understandsAskMeta(capabilities)).toBe(false)
  }
})
