import { expect, test } from 'vitest'
import { askLimits } from '../limits.ts'
import {
  answerMeta,
  askCapability,
  askMeta,
  checkedBlock,
  readAnswerMeta,
  readAskMeta,
  understandsAskMeta,
  withoutChecked,
} from './ask-meta.ts'

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

test('[CARD-15] an asker can say that a yes cannot be undone', () => {
  expect(readAskMeta({ _meta: askMeta({ isDestructive: true }) })).toEqual({ isDestructive: true })
  for (const isDestructive of [false, 1, 'true', null])
    expect(readAskMeta({ _meta: { 'assent/ask': { isDestructive } } })).toEqual({})
})

test.each([7, 0, -1.5, 'request-7'])('[META-1] a question can name the request in which it is asked: %j', (call) => {
  expect(readAskMeta({ _meta: askMeta({ call }) })).toEqual({ call })
})

test.each([
  undefined,
  null,
  'assent/ask',
  {},
  { _meta: null },
  { _meta: { 'assent/ask': true } },
  { _meta: Object.create({ 'assent/ask': {} }) },
])('[META-2] a question without a valid member is not from our SDK: %j', (params) => {
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
  { call: '' },
  { call: 'x'.repeat(257) },
  { call: null },
  { call: [7] },
])('[META-2] a malformed part counts as absent: %j', (member) => {
  expect(readAskMeta({ _meta: { 'assent/ask': member } })).toEqual({})
})

test.each([{ comment: '' }, { comment: 'x'.repeat(2_001) }, { comment: 7 }, { comment: '\udfff' }])(
  '[META-2] a malformed comment counts as absent: %j',
  (member) => {
    expect(readAnswerMeta({ _meta: { 'assent/answer': member } })).toEqual({})
  },
)

test('[META-3] the other side understands the members only if it declares the experimental capability', () => {
  expect(understandsAskMeta({ experimental: { 'assent/ask': {} } })).toBe(true)
  expect(askCapability).toBe('assent/ask')
  const none = [undefined, null, 'assent/ask', {}, { experimental: null }, { experimental: {} }]
  for (const capabilities of [...none, { experimental: { 'assent/ask': true } }]) {
    expect(understandsAskMeta(capabilities)).toBe(false)
  }
})

test('[META-1] the members have their documented names', () => {
  expect(askMeta({ waitMs: 1 })).toEqual({ 'assent/ask': { waitMs: 1 } })
  expect(answerMeta({ comment: 'go' })).toEqual({ 'assent/answer': { comment: 'go' } })
})

test('[META-1] the shortest and longest waits and the longest texts are read', () => {
  const checked = 'x'.repeat(askLimits.messageChars)
  for (const waitMs of [0, askLimits.decideMaxMs]) {
    expect(readAskMeta({ _meta: askMeta({ waitMs, checked }) })).toEqual({ waitMs, checked })
  }
  expect(readAskMeta({ _meta: askMeta({ waitMs: askLimits.decideMaxMs + 1 }) })).toEqual({})
  const comment = 'x'.repeat(askLimits.commentChars)
  expect(readAnswerMeta({ _meta: answerMeta({ comment }) })).toEqual({ comment })
})

test.each([undefined, null, 'x', { _meta: null }, { _meta: [] }, { _meta: { 'assent/answer': 'go' } }])(
  '[META-2] an answer without a valid member has no comment: %j',
  (result) => {
    expect(readAnswerMeta(result)).toEqual({})
  },
)

test('[POINT-16] the checked block is removed from the message together with the blank lines around it', () => {
  const block = checkedBlock('- a\n- b')
  expect(block).toBe('Checked by Assent:\n- a\n- b')
  expect(withoutChecked(block, '- a\n- b')).toBe('')
  expect(withoutChecked(`Before.\n\n${block}`, '- a\n- b')).toBe('Before.')
  expect(withoutChecked(`${block}\n\nAfter.`, '- a\n- b')).toBe('After.')
  expect(withoutChecked(`\nBefore.\n\n${block}\n\nAfter.\n\n`, '- a\n- b')).toBe('Before.\n\nAfter.')
  expect(withoutChecked('Checked by Assent:\n', '')).toBeUndefined()
})
