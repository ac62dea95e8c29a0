import { expect, test } from 'vitest'
import type { Question } from '../ask/question.ts'
import { boolean, form, text } from '../form/build.ts'
import { withoutSecrets } from './hide-secrets.ts'

const key = `ghp_${'a1B2'.repeat(9)}`
const hidden = '(secret, not shown)'
const vote = { via: 'inbox', decisionId: 'decision' } as const
const asked: Question = { kind: 'form', message: 'Sure?', form: form({ sure: boolean(), why: text(), who: text() }) }
const content = { sure: true, why: key, who: 'Ada' }

test('[VOTE-7] only the parts of an answer that look like a secret are hidden', () => {
  const shown = (answer: object) => withoutSecrets(asked, { answer: answer as never, ...vote, isSecret: true })
  expect(shown({ action: 'accept', content })).toEqual({ action: 'accept', content: { ...content, why: hidden } })
  expect(shown({ action: 'decline', comment: `use ${key}` })).toEqual({ action: 'decline', comment: hidden })
  expect(shown({ action: 'accept', content: { ...content, why: 'x' }, comment: key })).toEqual({
    action: 'accept',
    content: { ...content, why: 'x' },
    comment: hidden,
  })
  const plain = { action: 'accept', content, comment: 'ok' } as const
  expect(withoutSecrets(asked, { answer: plain, ...vote })).toBe(plain)
})

test('[VOTE-7] of a deleted answer, every text that it may have had is shown as hidden', () => {
  const deleted = { contentDigest: 'a', commentDigest: 'b' } as never
  const answer = { action: 'accept' } as const
  expect(withoutSecrets(asked, { answer, ...vote, isSecret: true, deleted })).toEqual({
    action: 'accept',
    content: { why: hidden, who: hidden },
    comment: hidden,
  })
  const link: Question = { kind: 'url', message: 'Sign in', url: 'https://example.com/' }
  const digests = { contentDigest: 'a' } as never
  expect(withoutSecrets(link, { answer, ...vote, isSecret: true, deleted: digests })).toEqual(answer)
})
