import { expect, test } from 'vitest'
import type { AskState, WithdrawReason } from './ask.ts'
import { type AskOutcome, askOutcomeOf, isYes } from './outcome.ts'

const settled = (action: 'accept' | 'decline' | 'cancel'): AskState => ({
  kind: 'settled',
  answer: { action },
  by: 'ann',
  via: 'inbox',
  atMs: 0,
  decisionId: 'd1',
})
const withdrawn = (reason: WithdrawReason): AskState => ({ kind: 'withdrawn', reason, atMs: 0 })

const outcomes: [state: AskState, outcome: AskOutcome | undefined][] = [
  [{ kind: 'open' }, undefined],
  [settled('accept'), 'accepted'],
  [settled('decline'), 'declined'],
  [settled('cancel'), 'cancelled'],
  [{ ...settled('accept'), undeliveredAtMs: 0 } as AskState, 'undelivered'],
  [{ kind: 'expired', atMs: 0 }, 'expired'],
  [withdrawn('undeliverable'), 'undeliverable'],
  [withdrawn('unseen'), 'unseen'],
  [withdrawn('call-cancelled'), 'withdrawn'],
  [withdrawn('caller-gone'), 'withdrawn'],
  [withdrawn('owner-lost'), 'withdrawn'],
  [withdrawn('store-unavailable'), 'withdrawn'],
  [withdrawn('unverified'), 'withdrawn'],
]

test('[ASK-3] every ending has its own outcome', () => {
  for (const [state, outcome] of outcomes) expect(askOutcomeOf(state)).toBe(outcome)
})

test('[ASK-3] only one outcome is a yes', () => {
  expect(outcomes.filter(([, outcome]) => isYes(outcome)).map(([, outcome]) => outcome)).toEqual(['accepted'])
})
