import { expect, test } from 'vitest'
import { boolean, form, text } from '../form/build.ts'
import { answerWarnings } from './answer-warnings.ts'
import type { Question } from './question.ts'

const key = `ghp_${'a1B2'.repeat(9)}`
const asked: Question = { kind: 'form', message: 'Sure?', form: form({ sure: boolean(), why: text({ title: 'Why' }) }) }
const link: Question = { kind: 'url', message: 'Sign in', url: 'https://example.com/' }

test('[REPLY-8] a comment with a key in it is found beside every answer to every question', () => {
  for (const question of [asked, link]) {
    for (const action of ['accept', 'decline', 'cancel']) {
      expect(answerWarnings(question, { action, comment: `use ${key} instead` })).toEqual([
        { in: 'comment', shape: 'service-key', message: 'The comment looks like the key of a service.' },
      ])
    }
  }
})

test('[REPLY-8] a text field with a key in it is found by its name, and only where it would be sent', () => {
  const content = { sure: true, why: key }
  expect(answerWarnings(asked, { action: 'accept', content })).toEqual([
    { in: { field: 'why' }, shape: 'service-key', message: '“Why” looks like the key of a service.' },
  ])
  expect(answerWarnings(asked, { action: 'decline', content })).toEqual([])
})

test('[REPLY-8] ordinary answers and things that are no answer have no warnings', () => {
  const none = [undefined, null, 'accept', [], {}, { action: 'accept' }, { action: 'decline', comment: 4 }]
  for (const answer of [...none, { action: 'accept', content: { sure: true, why: 'CI is green' }, comment: 'go' }]) {
    expect(answerWarnings(asked, answer)).toEqual([])
  }
})
