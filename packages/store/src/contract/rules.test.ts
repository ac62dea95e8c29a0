// For any sequence of changes, the store gives the same result as core's rules. Core is the reference; the store runs the
// statements. Both use the same clock.

import {
  type Ask,
  answer as answerByTheRules,
  askAt,
  expire as expireByTheRules,
  raise as raiseByTheRules,
  withdraw as withdrawByTheRules,
} from '@assent/core'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Store } from '../index.ts'
import { anApproval, anId, person } from './drafts.suite.ts'
import { onEachEngine, type StoppedClock, stoppedClock } from './engines.suite.ts'

const people = ['ann', 'ben', 'cleo', 'dev'] as const
const move = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      by: fc.constantFrom(...people),
      action: fc.constantFrom('accept' as const, 'decline' as const, 'cancel' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 400, 999, 1_000) }) },
)
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never

onEachEngine('[STORE-14] for any sequence of changes, the store and the rules give the same ask', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const quorum = fc.integer({ min: 1, max: 3 })

  await fc.assert(
    fc.asyncProperty(
      quorum,
      quorum,
      fc.array(move, { minLength: 1, maxLength: 12 }),
      async (approvals, declines, moves) => {
        const draft = anApproval(
          people.map((name) => `person:${name}` as const),
          approvals,
          { decideWithinMs: 1_000 },
        )
        const approvalRule = { ...draft.approvalRule, declines }
        let expected = raiseByTheRules({ ...draft, approvalRule }, clock())
        expect(await store.asks.raise({ ...draft, approvalRule })).toEqual(expected)

        for (const next of moves) {
          expected = await applyToBoth(store, expected, next, clock)
          expect(await store.asks.read(expected.tenant, expected.id)).toEqual(askAt(expected, clock()))
        }
        const granted = expected.state.kind === 'settled' && expected.state.answer.action === 'accept'
        expect((await store.grants.read(expected.tenant, expected.id)) !== undefined).toBe(granted)
      },
    ),
    { numRuns: 150 },
  )
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true })
})

/** Applies one change in the store and by the rules, compares the results, and returns the ask by the rules. */
async function applyToBoth(store: Store, ask: Ask, next: Move, clock: StoppedClock): Promise<Ask> {
  const { tenant, id } = ask
  switch (next.do) {
    case 'wait':
      clock.advance(next.ms)
      return ask
    case 'withdraw': {
      const expected = withdrawByTheRules(ask, 'caller-gone', clock())
      const ended = await store.asks.withdraw(tenant, id, 'caller-gone')
      expect(ended.kind).toBe(expected.ok ? 'done' : 'ended')
      return expected.ok ? expected.ask : ask
    }
    case 'expire': {
      const expected = expireByTheRules(ask, clock())
      const ended = await store.asks.expire(tenant, id)
      // The store may have recorded the expiry at an earlier answer, which the rules do not.
      if (expected.ok) expect(['done', 'ended']).toContain(ended.kind)
      else expect(ended.kind).toBe(expected.reason)
      return expected.ok ? expected.ask : ask
    }
    case 'answer': {
      const vote = { answer: { action: next.action }, by: next.by, via: 'inbox', decisionId: anId('decision') } as const
      const expected = answerByTheRules(ask, vote, clock())
      const answered = await store.asks.answer({ tenant, id, person: person(next.by), ...vote })
      if (!expected.ok) expect(answered.kind).toBe(expected.reason)
      else
        expect(answered).toEqual({
          kind: expected.ask.state.kind === 'open' ? 'counted' : 'settled',
          ask: expected.ask,
        })
      return expected.ok ? expected.ask : ask
    }
  }
}
