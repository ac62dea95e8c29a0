import { expect, test } from 'vitest'
import { type Ask, answer, raise } from '../ask/ask.ts'
import { namedOutcomeOf } from '../ask/person-answer.ts'
import { boolean, form } from '../form/build.ts'
import { askView } from './ask-view.ts'
import { endingText } from './ending-text.ts'

const ann = { principal: 'ann', groups: [] }
const naming = { nameOf: (name: string) => name, describe: () => ({}) }
const draft = {
  tenant: 'acme',
  id: 'ask_1',
  asker: { server: 'deploy' },
  principal: 'ann',
  question: { kind: 'form', message: 'Sure?', form: form({ confirmed: boolean() }) },
  approvalRule: { approvers: ['person:ann'], excluded: [], approvals: 1, declines: 1 },
  decideWithinMs: 60_000,
  useWithinMs: 60_000,
} as const

test('[WAIT-9] a yes that was not delivered is shown as too late and does not count as a yes', () => {
  const vote = {
    answer: { action: 'accept', content: { confirmed: true } },
    by: 'ann',
    via: 'inbox',
    decisionId: 'd',
  } as const
  const moved = answer(raise(draft, 1_000), vote, 2_000)
  if (!moved.ok || moved.ask.state.kind !== 'settled') throw new Error('It was not settled.')
  const late: Ask = { ...moved.ask, state: { ...moved.ask.state, undeliveredAtMs: 2_500 } }

  expect(namedOutcomeOf(moved.ask.question, moved.ask.state)).toBe('yes')
  expect(namedOutcomeOf(late.question, late.state)).toBe('undelivered')
  expect(endingText(askView(late, ann, naming), 12_000)).toBe(
    'Too late: the server had stopped waiting. You answered Yes, 10 s ago.',
  )
  expect(askView(moved.ask, ann, naming).state).not.toHaveProperty('isUndelivered')
})
