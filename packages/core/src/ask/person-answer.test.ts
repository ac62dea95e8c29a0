import { expect, test } from 'vitest'
import { boolean, choice, form, number, optional, text } from '../form/build.ts'
import type { Content, Form } from '../form/form.ts'
import { isCommentField } from './comment-field.ts'
import { approved, decisionForm, isApprovalForm, isDecision } from './decision.ts'
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
  ['declined', approval, { approved: false, comment: 'not before the release' }],
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
])('[REPLY-5] the answer is %s for the form %j with content %j', (name, asked, content) => {
  expect(nameContent(asked, content)).toBe(name)
})

test('[REPLY-5] only an accept can be a yes; a decline and a dismissal have different names', () => {
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

test('[REPLY-5] an ask that ended without an answer has the name of its outcome', () => {
  const question = { kind: 'form', message: 'Sure?', form: confirm } as const
  expect(namedOutcomeOf(question, { kind: 'open' })).toBeUndefined()
  expect(namedOutcomeOf(question, { kind: 'expired', atMs: 1 })).toBe('expired')
  expect(namedOutcomeOf(question, { kind: 'withdrawn', reason: 'unseen', atMs: 1 })).toBe('unseen')
  expect(namedOutcomeOf(question, { kind: 'withdrawn', reason: 'caller-gone', atMs: 1 })).toBe('withdrawn')
})

test.each([
  ['yes', ['yes', 'y', 'true', 'OK', 'continue', 'proceed']],
  ['approved', ['approve', 'approved', 'accept', 'allow', 'confirm', 'commit and continue', 'commit --  and continue']],
  ['changes_requested', ['request-changes', 'changes requested', 'revise']],
  ['paused', ['commit-and-pause', 'pause']],
  ['cancelled', ['cancel', 'abort', 'stop']],
  ['no', ['No', 'n', 'false']],
  ['declined', ['decline', 'deny', 'reject', 'refuse']],
  ['answered', ['perhaps', 'yes please', 'constructor']],
])('[REPLY-5] a chosen option that means %s gets that name in any case and separator', (name, words) => {
  for (const word of words)
    expect([word, nameContent(form({ answer: choice(words) }), { answer: word })]).toEqual([word, name])
})

test('[REPLY-5] each name counts as a yes, as a no or as neither', () => {
  expect(verdicts).toEqual({
    yes: 'yes',
    no: 'no',
    approved: 'yes',
    changes_requested: 'no',
    paused: 'neutral',
    cancelled: 'no',
    answered: 'neutral',
    declined: 'no',
    dismissed: 'neutral',
  })
  const others = ['undelivered', 'expired', 'withdrawn', 'unseen', 'undeliverable']
  expect(namedOutcomes).toEqual([...Object.keys(verdicts), ...others])
})

test('[REPLY-5] an answer that came too late is `undelivered`; a delivered one has the name of the answer', () => {
  const question = { kind: 'form', message: 'Sure?', form: confirm } as const
  const settled = {
    kind: 'settled',
    answer: { action: 'accept', content: { confirmed: true } },
    by: 'ann',
    via: 'inbox',
    atMs: 1,
    decisionId: 'd',
  } as const
  expect(namedOutcomeOf(question, settled)).toBe('yes')
  expect(namedOutcomeOf(question, { ...settled, undeliveredAtMs: 2 })).toBe('undelivered')
  expect(nameAnswer(question, { action: 'accept' })).toBe('answered')
})

test('[REPLY-5] a boolean decides if it is the only field or has a consent name; all of those must be ticked', () => {
  const ticked = form({ size: number(), confirm: boolean(), understood_risks: boolean() })
  expect(nameContent(ticked, { size: 1, confirm: true, understood_risks: true })).toBe('yes')
  expect(nameContent(ticked, { size: 1, confirm: true })).toBe('answered')
  expect(nameContent(ticked, { size: 1, confirm: false })).toBe('no')
  expect(nameContent(form({ approved: boolean(), size: number() }), { approved: true, size: 1 })).toBe('approved')
  expect(nameContent(form({ approved: boolean(), confirm: boolean() }), { approved: true, confirm: true })).toBe(
    'approved',
  )
  expect(nameContent(form({ approved: text(), size: number() }), { approved: 'x', size: 1 })).toBe('answered')
  expect(nameContent(form({ size: number() }), { size: 1 })).toBe('answered')
  expect(nameContent(form({ a: choice(['yes', 'no']), b: choice(['yes', 'no']) }), { a: 'yes', b: 'yes' })).toBe(
    'answered',
  )
  expect(nameContent(form({ a: choice(['yes']), decision: choice(['no', 'yes']) }), { a: 'yes', decision: 'no' })).toBe(
    'no',
  )
  expect(nameContent(form({ decision: text(), sure: text() }), { decision: 'yes', sure: 'yes' })).toBe('answered')
  expect(nameContent(form({ toString: choice(['yes']) }), {})).toBe('answered')
  expect(nameContent(form({ toString: boolean() }), {})).toBe('answered')
})

test.each(['comment', 'Comments', 'feed_back', 'note', 'NOTES', 'reason', 'revision-notes', 'revisionNotes'])(
  '[REPLY-10] a text field called %s is the comment',
  (name) => {
    expect(isCommentField({ kind: 'text', name })).toBe(true)
    expect(isCommentField({ kind: 'boolean', name })).toBe(false)
  },
)

test('[REPLY-10] a text field with any other name is not the comment', () => {
  for (const name of ['', 'name', 'commentary', 'the comment'])
    expect(isCommentField({ kind: 'text', name })).toBe(false)
})

test('[CARD-2] only the exact decision form, or a form without fields, is a plain yes or no', () => {
  expect(decisionForm.fields).toEqual([
    {
      kind: 'choice',
      name: 'decision',
      title: 'Decision',
      required: true,
      options: [
        { value: 'approve', label: 'Approve' },
        { value: 'decline', label: 'Decline' },
      ],
    },
  ])
  expect(approved).toEqual({ decision: 'approve' })
  expect([isDecision(decisionForm), isApprovalForm(decisionForm)]).toEqual([true, true])
  expect([isDecision(form({})), isApprovalForm(form({}))]).toEqual([false, true])
  const relabelled = form({ decision: choice({ approve: 'Yes', decline: 'Decline' }, { title: 'Decision' }) })
  const longer = { ...decisionForm, fields: [...decisionForm.fields, ...decisionForm.fields] }
  for (const other of [relabelled, longer, confirm])
    expect([isDecision(other), isApprovalForm(other)]).toEqual([false, false])
})

test('[REPLY-5] a yes to a question from one of several calls is `yes`, not `approved`', () => {
  const question = (form: Form): Question => ({ kind: 'form', message: 'Go on?', form, oneOf: [{ tool: 'deploy' }] })
  const accept = (content: Content) => ({ action: 'accept', content }) as const
  expect(nameAnswer({ kind: 'form', message: 'Go on?', form: decisionForm }, accept(approved))).toBe('approved')
  expect(nameAnswer(question(decisionForm), accept(approved))).toBe('yes')
  expect(nameAnswer(question(form({})), accept({}))).toBe('yes')
  expect(nameAnswer(question(approval), accept({ approved: true }))).toBe('yes')
  expect(nameAnswer(question(approval), accept({ approved: false }))).toBe('declined')
  expect(nameAnswer(question(decisionForm), accept({ decision: 'decline' }))).toBe('declined')
})
