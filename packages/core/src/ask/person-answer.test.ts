import { expect, test } from 'vitest'
import { boolean, choice, form, number, optional, text } from '../form/build.ts'
import type { Content, Form } from '../form/form.ts'
import { decisionForm } from './decision.ts'
import { nameAnswer, nameContent, namedOutcomeOf, namedOutcomes, verdicts } from './person-answer.ts'
import type { Question } from './question.ts'

const confirm = form({ confirmed: boolean({ title: 'Yes' }) })
const approval = form({ approved: boolean(), comment: optional(text()) })
const migration = form({ confirmed: boolean(), understood_risks: boolean() })
const plan = form({
  decision: choice({ approve: 'Go', request_changes: 'Change', cancel: 'Stop' }),
  feedback: optional(text()),
})
const phase = form({
  decision: choice(['commit_and_continue', 'commit_and_pause', 'revise', 'abort']),
  commitConfirmed: boolean({ required: false }),
  revisionNotes: optional(text()),
})
const database = form({ choice: choice({ sqlite: 'SQLite', pg: 'PostgreSQL' }) })
const features = form({ logging: boolean(), metrics: boolean() })

test.each<[string, Form, Content]>([
  ['yes', confirm, { confirmed: true }],
  ['no', confirm, { confirmed: false }],
  ['yes', form({ deploy: boolean(), reason: optional(text()) }), { deploy: true, reason: 'green' }],
  ['approved', approval, { approved: true }],
  ['no', approval, { approved: false, comment: 'not before the release' }],
  ['yes', migration, { confirmed: true, understood_risks: true }],
  ['no', migration, { confirmed: true, understood_risks: false }],
  ['no', migration, { confirmed: false, understood_risks: true }],
  ['approved', plan, { decision: 'approve' }],
  ['changes_requested', plan, { decision: 'request_changes', feedback: 'use FTS5' }],
  ['cancelled', plan, { decision: 'cancel' }],
  ['approved', phase, { decision: 'commit_and_continue', commitConfirmed: false }],
  ['paused', phase, { decision: 'commit_and_pause' }],
  ['changes_requested', phase, { decision: 'revise', revisionNotes: 'split it' }],
  ['cancelled', phase, { decision: 'abort' }],
  ['approved', decisionForm, { decision: 'approve' }],
  ['declined', decisionForm, { decision: 'decline' }],
  ['yes', form({ answer: choice(['Yes', 'No']) }), { answer: 'Yes' }],
  ['no', form({ answer: choice(['Yes', 'No']) }), { answer: 'No' }],
  ['declined', form({ verdict: choice(['approve', 'reject']) }), { verdict: 'reject' }],
  ['answered', database, { choice: 'sqlite' }],
  ['answered', form({ name: text() }), { name: 'yes' }],
  ['answered', form({ reason: text() }), { reason: 'yes' }],
  ['answered', features, { logging: true, metrics: false }],
  ['answered', form({ size: number(), confirmed: boolean({ required: false }) }), { size: 4 }],
  ['no', form({ size: number(), confirmed: boolean() }), { size: 4, confirmed: false }],
  ['answered', form({ constructor: choice(['toString', 'yes']) }), { constructor: 'toString' }],
  ['approved', form({}), {}],
])('[REPLY-5] %s is what %j says with %j', (name, asked, content) => {
  expect(nameContent(asked, content)).toBe(name)
})

test('[REPLY-5] only an accept can be a yes, whatever the question; a decline and a dismissal stay apart', () => {
  const link: Question = { kind: 'url', message: 'Sign in', url: 'https://example.com/' }
  const secret: Question = { ...link, secret: { page: 'secret_1', publicKey: 'k' } }
  for (const question of [link, secret, { kind: 'form', message: 'Sure?', form: confirm } as const]) {
    expect(nameAnswer(question, { action: 'decline' })).toBe('declined')
    expect(nameAnswer(question, { action: 'cancel' })).toBe('dismissed')
  }
  expect(nameAnswer(link, { action: 'accept' })).toBe('approved')
  expect(nameAnswer(secret, { action: 'accept' })).toBe('answered')
})

test('[REPLY-5] yes and approved are the only names that count as a yes', () => {
  const yes = Object.entries(verdicts).filter(([, verdict]) => verdict === 'yes')
  expect(yes.map(([name]) => name)).toEqual(['yes', 'approved'])
  expect(Object.keys(verdicts).every((name) => namedOutcomes.includes(name as never))).toBe(true)
})

test('[REPLY-5] an ask that ended without an answer is named by how it ended', () => {
  const question = { kind: 'form', message: 'Sure?', form: confirm } as const
  expect(namedOutcomeOf(question, { kind: 'open' })).toBeUndefined()
  expect(namedOutcomeOf(question, { kind: 'expired', atMs: 1 })).toBe('expired')
  expect(namedOutcomeOf(question, { kind: 'withdrawn', reason: 'unseen', atMs: 1 })).toBe('unseen')
  expect(namedOutcomeOf(question, { kind: 'withdrawn', reason: 'caller-gone', atMs: 1 })).toBe('withdrawn')
})
