import { expect, test } from 'vitest'
import { digestOf } from '../digest/digest.ts'
import { askLimits } from '../limits.ts'
import { answerDigests, checkAnswer } from './answer.ts'
import { link, region, rollOut } from './asks.corpus.ts'

test('[ASK-2] an accept whose content fits the form is a yes, with the content and nothing else', () => {
  const raw = { action: 'accept', content: { region: 'eu' }, _meta: { from: 'somewhere' } }

  expect(checkAnswer(region, raw)).toEqual({ ok: true, answer: { action: 'accept', content: { region: 'eu' } } })
})

test('[ASK-2] consent to a link or an action needs no content; empty content counts as none', () => {
  for (const question of [link, rollOut()]) {
    for (const content of [undefined, null, {}]) {
      expect(checkAnswer(question, { action: 'accept', content })).toEqual({ ok: true, answer: { action: 'accept' } })
    }
  }
})

test('[ASK-2] an accept that does not fit its form is `invalid`, so that the person can correct it', () => {
  for (const content of [undefined, null, {}, { region: 'mars' }, { region: 'eu', extra: 1 }, [], 'eu']) {
    expect(checkAnswer(region, { action: 'accept', content })).toMatchObject({ ok: false, reason: 'invalid' })
  }
})

test('[ASK-2] content that was not asked for is never consent', () => {
  for (const question of [link, rollOut()]) {
    for (const content of [{ approved: true }, [], 'yes', true, 1]) {
      expect(checkAnswer(question, { action: 'accept', content })).toMatchObject({ ok: false, reason: 'malformed' })
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
const noText = 'A comment must be text without broken characters.'
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

test('[ASK-2] anything other than the three actions is malformed, with a reason', () => {
  for (const [raw, message] of malformed) {
    for (const question of [region, link, rollOut()]) {
      expect(checkAnswer(question, raw)).toEqual({ ok: false, reason: 'malformed', message })
    }
  }
})

test('[ASK-2] an accept of a link to a secret page is refused: only that page can accept', () => {
  const question = { ...link, secret: { page: 'secret_1', publicKey: 'k' } } as typeof link
  expect(checkAnswer(question, { action: 'accept' })).toEqual({
    ok: false,
    reason: 'malformed',
    message: 'A secret is entered on its own page, which is the only way to accept this question. Open the link.',
  })
  expect(checkAnswer(question, { action: 'decline' }).ok).toBe(true)
  expect(checkAnswer(link, { action: 'accept', content: { sure: true } })).toMatchObject({
    message: 'This question takes a yes or a no, not content.',
  })
})

test('[ASK-2] the comment of an accept is kept, up to its limit', () => {
  const comment = 'x'.repeat(askLimits.commentChars)
  expect(checkAnswer(link, { action: 'accept', comment })).toEqual({ ok: true, answer: { action: 'accept', comment } })
  expect(checkAnswer(region, { action: 'accept', content: { region: 'us' }, comment })).toEqual({
    ok: true,
    answer: { action: 'accept', content: { region: 'us' }, comment },
  })
})

test('[VOTE-4] digests are made of the content of an accept and of every comment', () => {
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

test('[ASK-3] decline and cancel are valid for every question, with the person’s comment', () => {
  for (const action of ['decline', 'cancel']) {
    expect(checkAnswer(region, { action })).toEqual({ ok: true, answer: { action } })
    expect(checkAnswer(link, { action, comment: '' })).toStrictEqual({ ok: true, answer: { action } })
    expect(checkAnswer(link, { action })).toStrictEqual({ ok: true, answer: { action } })
    expect(checkAnswer(rollOut(), { action, comment: 'wrong region' })).toEqual({
      ok: true,
      answer: { action, comment: 'wrong region' },
    })
  }
})

test('[ASK-3] content sent with a decline or cancel is dropped', () => {
  expect(checkAnswer(region, { action: 'decline', content: { region: 'eu' } })).toEqual({
    ok: true,
    answer: { action: 'decline' },
  })
})

test('[POLICY-47] an approval that needs a reason is not given without one, and a decline needs none', () => {
  const question = { ...rollOut(), needsReason: true as const }

  expect(checkAnswer(question, { action: 'accept', comment: '' })).toMatchObject({ ok: false, reason: 'malformed' })
  expect(checkAnswer(question, { action: 'accept', comment: 'Agreed in standup.' })).toMatchObject({ ok: true })
  expect(checkAnswer(question, { action: 'decline' })).toMatchObject({ ok: true })
})
