import { expect, test } from 'vitest'
import { askLimits } from '../limits.ts'
import { liftComment } from './answer-comment.ts'
import { answerMeta } from './ask-meta.ts'

test('[REPLY-2] the comment of our member is read for every action', () => {
  for (const action of ['accept', 'decline', 'cancel']) {
    expect(liftComment({ action, _meta: answerMeta({ comment: 'not yet' }) })).toMatchObject({
      action,
      comment: 'not yet',
    })
  }
})

test('[REPLY-2] content.comment of a decline or a cancel is the comment; of an accept it is the form’s', () => {
  const content = { comment: ' wrong direction ' }
  expect(liftComment({ action: 'decline', content })).toMatchObject({ comment: 'wrong direction' })
  expect(liftComment({ action: 'cancel', content })).toMatchObject({ comment: 'wrong direction' })
  expect(liftComment({ action: 'accept', content })).toEqual({ action: 'accept', content })
})

test('[REPLY-2] our member wins over content.comment, and a comment that is there already stays', () => {
  const content = { comment: 'from the form' }
  const both = { action: 'decline', content, _meta: answerMeta({ comment: 'from the inbox' }) }
  expect(liftComment(both)).toMatchObject({ comment: 'from the inbox' })
  expect(liftComment({ action: 'decline', content, comment: 'beside' })).toMatchObject({ comment: 'beside' })
})

test('[REPLY-2] a malformed comment counts as absent and leaves the answer as it is', () => {
  const malformed = ['', '  ', 4, null, {}, 'x'.repeat(askLimits.commentChars + 1), '\uD800']
  for (const comment of malformed) {
    const raw = { action: 'decline', content: { comment }, _meta: { 'assent/answer': { comment } } }
    if (comment === '  ') delete (raw as { _meta?: unknown })._meta
    expect(liftComment(raw)).toBe(raw)
  }
  for (const raw of [undefined, null, 'decline', ['decline']]) expect(liftComment(raw)).toBe(raw)
})

test('[REPLY-2] a comment of the longest allowed length is one; of another action, or not the content’s own, it is none', () => {
  const longest = 'x'.repeat(askLimits.commentChars)
  expect(liftComment({ action: 'decline', content: { comment: ` ${longest} ` } })).toMatchObject({ comment: longest })
  const inherited = Object.assign(Object.create(null), { action: 'decline', content: Object.create({ comment: 'x' }) })
  for (const raw of [{ action: 'approve', content: { comment: 'x' } }, { content: { comment: 'x' } }, inherited]) {
    expect(liftComment(raw)).toBe(raw)
  }
})

test('[REPLY-2] content that holds no comment of its own leaves the answer as it is', () => {
  for (const content of [undefined, null, 'comment', ['comment'], {}, { comment: '\uD800' }]) {
    const raw = { action: 'cancel', content }
    expect(liftComment(raw)).toBe(raw)
  }
})
