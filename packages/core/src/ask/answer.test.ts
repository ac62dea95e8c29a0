import { expect, test } from 'vitest'
import { askLimits } from '../limits.ts'
import { judgeAnswer } from './answer.ts'
import { link, region, rollOut } from './asks.corpus.ts'

test('[ASK-2] an accept whose content fits the form is a yes, with the content and nothing else', () => {
  const raw = { action: 'accept', content: { region: 'eu' }, _meta: { from: 'somewhere' } }

  expect(judgeAnswer(region, raw)).toEqual({ ok: true, answer: { action: 'accept', content: { region: 'eu' } } })
})

test('[ASK-2] consent to a link or an action needs no content, and an empty one is none', () => {
  for (const question of [link, rollOut()]) {
    for (const content of [undefined, null, {}]) {
      expect(judgeAnswer(question, { action: 'accept', content })).toEqual({ ok: true, answer: { action: 'accept' } })
    }
  }
})

test('[ASK-2] an accept that does not fit its form is told apart, so that a person can mend it', () => {
  for (const content of [undefined, null, {}, { region: 'mars' }, { region: 'eu', extra: 1 }, [], 'eu']) {
    expect(judgeAnswer(region, { action: 'accept', content })).toMatchObject({ ok: false, reason: 'invalid' })
  }
})

test('[ASK-2] content that nobody was asked for is never consent', () => {
  for (const question of [link, rollOut()]) {
    for (const content of [{ approved: true }, [], 'yes', true, 1]) {
      expect(judgeAnswer(question, { action: 'accept', content })).toMatchObject({ ok: false, reason: 'malformed' })
    }
  }
})

const throwing = new Proxy(
  {},
  {
    ownKeys: () => {
      throw new Error('trap')
    },
  },
)
const malformed = [
  undefined,
  null,
  true,
  'accept',
  ['accept'],
  {},
  { action: 'approve' },
  { action: 'ACCEPT' },
  { action: true },
  { action: ['accept'] },
  Object.create({ action: 'accept' }),
  { action: 'decline', comment: 5 },
  { action: 'decline', comment: 'half \ud800' },
  { action: 'decline', comment: 'x'.repeat(askLimits.commentChars + 1) },
  Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 1])),
  throwing,
]

test('[ASK-2] whatever is not one of the three answers is none', () => {
  for (const raw of malformed) {
    for (const question of [region, link, rollOut()]) {
      expect(judgeAnswer(question, raw)).toMatchObject({ ok: false, reason: 'malformed' })
    }
  }
})

test('[ASK-3] decline and cancel pass whatever the question, with the person’s comment', () => {
  for (const action of ['decline', 'cancel']) {
    expect(judgeAnswer(region, { action })).toEqual({ ok: true, answer: { action } })
    expect(judgeAnswer(link, { action, comment: '' })).toEqual({ ok: true, answer: { action } })
    expect(judgeAnswer(rollOut(), { action, comment: 'wrong region' })).toEqual({
      ok: true,
      answer: { action, comment: 'wrong region' },
    })
  }
})

test('[ASK-3] content sent along with a no is dropped', () => {
  expect(judgeAnswer(region, { action: 'decline', content: { region: 'eu' } })).toEqual({
    ok: true,
    answer: { action: 'decline' },
  })
})
