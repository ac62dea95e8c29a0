import { expect, test } from 'vitest'
import { boolean, form, text } from '../form/build.ts'
import { answerWarnings } from './answer-warnings.ts'
import type { Question } from './question.ts'

const key = `ghp_${'a1B2'.repeat(9)}`
const asked: Question = { kind: 'form', message: 'Sure?', form: form({ sure: boolean(), why: text({ title: 'Why' }) }) }
const link: Question = { kind: 'url', message: 'Sign in', url: 'https://example.com/' }

test('[REPLY-8] a comment that contains a key is found in every answer to every question', () => {
  for (const question of [asked, link]) {
    for (const action of ['accept', 'decline', 'cancel']) {
      expect(answerWarnings(question, { action, comment: `use ${key} instead` })).toEqual([
        { in: 'comment', shape: 'service-key', message: 'The comment looks like the key of a service.' },
      ])
    }
  }
})

test('[REPLY-8] a text field that contains a key is reported by name, and only if it would be sent', () => {
  const content = { sure: true, why: key }
  expect(answerWarnings(asked, { action: 'accept', content })).toEqual([
    { in: { field: 'why' }, shape: 'service-key', message: '“Why” looks like the key of a service.' },
  ])
  expect(answerWarnings(asked, { action: 'decline', content })).toEqual([])
})

test('[REPLY-8] ordinary answers and values that are not answers have no warnings', () => {
  const none = [undefined, null, 'accept', [], {}, { action: 'accept' }, { action: 'decline', comment: 4 }]
  for (const answer of [...none, { action: 'accept', content: { sure: true, why: 'CI is green' }, comment: 'go' }]) {
    expect(answerWarnings(asked, answer)).toEqual([])
  }
})

test.each([
  ['a private key', 'private-key', '-----BEGIN PRIVATE KEY-----'],
  ['an access token', 'web-token', `eyJ${'a'.repeat(10)}.eyJ${'b'.repeat(10)}.${'c'.repeat(20)}`],
  ['the key of a service', 'service-key', key],
  ['a URL with a password', 'url-with-password', 'https://ann:hunter2@example.com/'],
  ['a card number', 'card-number', '4111111111111111'],
])('[REPLY-8] the warning names what was found: %s', (words, shape, secret) => {
  const asked: Question = { kind: 'form', message: 'Note?', form: form({ note: text() }) }
  const answer = { action: 'accept', content: { note: secret }, comment: secret }
  expect(answerWarnings(asked, answer)).toEqual([
    { in: { field: 'note' }, shape, message: `“note” looks like ${words}.` },
    { in: 'comment', shape, message: `The comment looks like ${words}.` },
  ])
})

test('[REPLY-8] only text fields in the content itself are checked', () => {
  const inherited = Object.assign(Object.create(null), { action: 'accept', content: { sure: key } })
  for (const answer of [inherited, { action: 'accept', content: [key] }, { action: 'accept', content: null }]) {
    expect(answerWarnings(asked, answer)).toEqual([])
  }
  expect(answerWarnings(link, { action: 'accept', content: { why: key } })).toEqual([])
  const prototypes: Question = { kind: 'form', message: '?', form: form({ toString: text() }) }
  expect(answerWarnings(prototypes, { action: 'accept', content: {} })).toEqual([])
})

test('[REPLY-8] every entry of a list is checked', () => {
  const fields = [{ kind: 'list', name: 'notes', required: true, item: {} }] as const
  const listing: Question = { kind: 'form', message: 'Notes?', form: { fields } }
  const warned = (notes: readonly unknown[]) => answerWarnings(listing, { action: 'accept', content: { notes } })
  expect(warned(['CI is green', 4, key])).toEqual([
    { in: { field: 'notes' }, shape: 'service-key', message: '“notes” looks like the key of a service.' },
  ])
  expect(warned(['4111111111111111', key])).toMatchObject([{ shape: 'card-number' }])
  expect(warned(['CI is green', 4])).toEqual([])
})
