// The answers that have a button of their own.

import { expect, test } from 'vitest'
import { decisionForm } from '../ask/decision.ts'
import type { Question } from '../ask/question.ts'
import { boolean, choice, form, optional, text } from '../form/build.ts'
import type { Field } from '../form/form.ts'
import { drawButtons } from './draw-buttons.ts'

const all = ['accept', 'decline', 'cancel'] as const
const ofForm = (fields: readonly Field[]): Question => ({ kind: 'form', message: 'Go on?', form: { fields } })
const labelsOf = (question: Question, answers: Parameters<typeof drawButtons>[1] = all) =>
  drawButtons({ question }, answers).map(({ label, key }) => [label, key])
const note = { feedback: optional(text({ title: 'Feedback' })) }

const approveOrDecline = [
  ['Approve', 'y'],
  ['Decline', 'n'],
]
const yesOrNo = [
  ['Yes', 'y'],
  ['No', 'n'],
]
const filledIn = [
  ['Answer', undefined],
  ['Decline', 'n'],
]
const seven = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`v${n}`, `Option ${n}`]))

test.each<[string, Question, (string | undefined)[][]]>([
  ['a link', { kind: 'url', message: 'Sign in.', url: 'https://example.com/' }, approveOrDecline],
  ['a form without fields', ofForm([]), approveOrDecline],
  ['the approval form', { kind: 'form', message: 'Go on?', form: decisionForm }, approveOrDecline],
  [
    'the approval form where the call is not known',
    { kind: 'form', message: 'Go on?', form: decisionForm, oneOf: [] },
    yesOrNo,
  ],
  ['a yes/no question', ofForm(form({ sure: boolean() }).fields), yesOrNo],
  ['a yes/no question about an approval', ofForm(form({ approved: boolean(), ...note }).fields), approveOrDecline],
  [
    'a yes/no question about an approval where the call is not known',
    { kind: 'form', message: 'Go on?', form: form({ approved: boolean() }), oneOf: [] },
    yesOrNo,
  ],
  ['a yes/no question with a text box', ofForm(form({ sure: boolean(), ...note }).fields), yesOrNo],
  [
    'a choice',
    ofForm(form({ region: choice({ eu: 'Europe', us: 'America', asia: 'Asia' }) }).fields),
    [
      ['Europe', '1'],
      ['America', '2'],
      ['Asia', '3'],
    ],
  ],
  ['a choice of too many', ofForm(form({ one: choice(seven) }).fields), filledIn],
  ['two decisions', ofForm(form({ sure: boolean(), really: boolean() }).fields), filledIn],
  ['a text', ofForm(form({ name: text() }).fields), filledIn],
  ['only a text box for a comment', ofForm(form(note).fields), filledIn],
  ['two text boxes', ofForm(form({ sure: boolean(), ...note, reason: optional(text()) }).fields), filledIn],
  ['a text box that must be filled in', ofForm(form({ sure: boolean(), reason: text() }).fields), filledIn],
])('[CARD-12] %s', (_, question, expected) => {
  expect(labelsOf(question)).toEqual(expected)
})

test('[CARD-12] each button sends its own answer, whatever the field is called', () => {
  const fields: readonly Field[] = [{ kind: 'boolean', name: '__proto__', required: true, default: false }]
  const [yes, no] = drawButtons({ question: ofForm(fields) }, all)

  expect(Object.entries(yes?.answer.content ?? {})).toEqual([['__proto__', true]])
  expect(Object.entries(no?.answer.content ?? {})).toEqual([['__proto__', false]])
  expect([yes?.isSuggested, no?.isSuggested]).toEqual([undefined, true])
})

test('[CARD-8] the look of an option follows the value that is sent, and a label that contradicts it is marked', () => {
  const decision = choice({ approve: 'No, keep everything', cancel: 'Stop', later: 'Later' })
  const buttons = drawButtons({ question: ofForm(form({ decision }).fields) }, all)

  expect(buttons.map(({ verdict, shownValue }) => [verdict, shownValue])).toEqual([
    ['yes', 'approve'],
    ['no', undefined],
    ['neutral', undefined],
  ])
})

test('[CARD-12] there is no button for an answer that the person may not give', () => {
  const question = ofForm(form({ sure: boolean() }).fields)

  expect(labelsOf(question, ['decline', 'cancel'])).toEqual([['Decline', 'n']])
  expect(labelsOf(question, [])).toEqual([])
})
