import { expect, test } from 'vitest'
import { digestOf } from '../digest/digest.ts'
import { askLimits } from '../limits.ts'
import { answerDigests, judgeAnswer } from './answer.ts'
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
const noObject = 'An answer is an object with an action.'
const noAction = 'The action is accept, decline or cancel.'
const noText = 'A comment is text in whole characters.'
const malformed: [unknown, string][] = [
  [undefined, noObject],
  [null, noObject],
  [true, noObject],
  ['accept', noObject],
  [['accept'], noObject],
  [{}, noAction],
  [{ action: 'approve' }, noAction],
  [{ action: 'ACCEPT' }, noAction],
  [{ action: true }, noAction],
  [{ action: ['accept'] }, noAction],
  [Object.create({ action: 'accept' }), noObject],
  [{ action: 'decline', comment: 5 }, noText],
  [{ action: 'decline', comment: null }, noText],
  [{ action: 'decline', comment: 'half \ud800' }, noText],
  [{ action: 'decline', comment: 'x'.repeat(askLimits.commentChars + 1) }, 'A comment has at most 2000 characters.'],
  [Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 1])), noObject],
  [throwing, noObject],
]

test('[ASK-2] whatever is not one of the three answers is none, and why is said', () => {
  for (const [raw, message] of malformed) {
    for (const question of [region, link, rollOut()]) {
      expect(judgeAnswer(question, raw)).toEqual({ ok: false, reason: 'malformed', message })
    }
  }
})

test('[ASK-2] an accept of a secret’s link is none: only its page can say yes', () => {
  const question = { ...link, secret: { page: 'secret_1', publicKey: 'k' } } as typeof link
  expect(judgeAnswer(question, { action: 'accept' })).toEqual({
    ok: false,
    reason: 'malformed',
    message: 'A secret is handed over on its own page, which is the only yes to this question. Open the link.',
  })
  expect(judgeAnswer(question, { action: 'decline' }).ok).toBe(true)
  expect(judgeAnswer(link, { action: 'accept', content: { sure: true } })).toMatchObject({
    message: 'This question takes a yes or a no, not content.',
  })
})

test('[ASK-2] the comment beside an accept stays with it, up to its longest', () => {
  const comment = 'x'.repeat(askLimits.commentChars)
  expect(judgeAnswer(link, { action: 'accept', comment })).toEqual({ ok: true, answer: { action: 'accept', comment } })
  expect(judgeAnswer(region, { action: 'accept', content: { region: 'us' }, comment })).toEqual({
    ok: true,
    answer: { action: 'accept', content: { region: 'us' }, comment },
  })
})

test('[VOTE-4] digests stand for the content of an accept and for every comment', () => {
  const content = { region: 'eu' }
  expect(answerDigests({ action: 'accept', content, comment: 'go' })).toEqual({
    action: 'accept',
    contentDigest: digestOf('content v1', content),
    commentDigest: digestOf('comment v1', 'go'),
  })
  expect(answerDigests({ action: 'accept' })).toEqual({ action: 'accept' })
  expect(answerDigests({ action: 'decline', content } as never)).toEqual({ action: 'decline' })
  expect(answerDigests({ action: 'cancel', comment: 'later' })).toEqual({
    action: 'cancel',
    commentDigest: digestOf('comment v1', 'later'),
  })
})

test('[ASK-3] decline and cancel pass whatever the question, with the person’s comment', () => {
  for (const action of ['decline', 'cancel']) {
    expect(judgeAnswer(region, { action })).toEqual({ ok: true, answer: { action } })
    expect(judgeAnswer(link, { action, comment: '' })).toStrictEqual({ ok: true, answer: { action } })
    expect(judgeAnswer(link, { action })).toStrictEqual({ ok: true, answer: { action } })
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
