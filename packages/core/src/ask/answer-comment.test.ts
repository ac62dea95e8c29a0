import { expect, test } from 'vitest'
import { askLimits } from '../limits.ts'
import { liftComment } from './answer-comment.ts'
import { answerMeta } from './ask-meta.ts'

test('[REPLY-2] the comment in our `_meta` member is read for every action', () => {
  for (const action of ['accept', 'decline', 'cancel']) {
    expect(liftComment({ action, _meta: answerMeta({ comment: 'not yet' }) })).toMatchObject({
      action,
      comment: 'not yet',
    })
  }
})

test('[REPLY-2] content.comment is the comment of a decline or a cancel; in an accept it belongs to the form', () => {
  const content = { comment: ' wrong direction ' }
  expect(liftComment({ action: 'decline', content })).toMatchObject({ comment: 'wrong direction' })
  expect(liftComment({ action: 'cancel', content })).toMatchObject({ comment: 'wrong direction' })
  expect(liftComment({ action: 'accept', content })).toEqual({ action: 'accept', content })
})

test('[REPLY-2] our `_meta` member takes precedence over content.comment, and an existing comment is kept', () => {
  const content = { comment: 'from the form' }
  const both = { action: 'decline', content, _meta: answerMeta({ comment: 'from the inbox' }) }
  expect(liftComment(both)).toMatchObject({ comment: 'from the inbox' })
  expect(liftComment({ action: 'decline', content, comment: 'beside' })).toMatchObject({ comment: 'beside' })
})

test('[REPLY-2] a malformed comment is ignored and the answer is unchanged', () => {
  const malformed = ['', '  ', 4, null, {}, 'x'.repeat(askLimits.commentChars + 1), '\uD800']
  for (const comment of malformed) {
    const raw = { action: 'decline', content: { comment }, _meta: { 'assent/answer': { comment } } }
    if (comment === '  ') delete (raw as { _meta?: unknown })._meta
    expect(liftComment(raw)).toBe(raw)
  }
  for (const raw of [undefined, null, 'decline', ['decline']]) expect(liftComment(raw)).toBe(raw)
})

test('[REPLY-2] a comment of the longest allowed length is read; one of another action or an inherited one is ignored', () => {
  const longest = 'x'.repeat(askLimits.commentChars)
  expect(liftComment({ action: 'decline', content: { comment: ` ${longest} ` } })).toMatchObject({ comment: longest })
  const inherited = Object.assign(Object.create(null), { action: 'decline', content: Object.create({ comment: 'x' }) })
  for (const raw of [{ action: 'approve', content: { comment: 'x' } }, { content: { comment: 'x' } }, inherited]) {
    expect(liftComment(raw)).toBe(raw)
  }
})

test('[REPLY-2] content without its own comment leaves the answer unchanged', () => {
  for (const content of [undefined, null, 'comment', ['comment'], {}, { comment: '\uD800' }]) {
    const raw = { action: 'cancel', content }
    expect(liftComment(raw)).toBe(raw)
  }
})
