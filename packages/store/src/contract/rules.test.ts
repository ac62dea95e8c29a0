// The store makes the same moves as core's rules, for any sequence of them. Core is the reference; the store runs the
// statement. Both have the same clock.

import {
  type Ask,
  answer as answerByTheRules,
  at,
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

onEachEngine('[STORE-14] whatever happens to an ask, the store and the rules say the same', async ({ open }) => {
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
        const electorate = { ...draft.electorate, declines }
        let expected = raiseByTheRules({ ...draft, electorate }, clock())
        expect(await store.asks.raise({ ...draft, electorate })).toEqual(expected)

        for (const next of moves) {
          expected = await makeBoth(store, expected, next, clock)
          expect(await store.asks.read(expected.tenant, expected.id)).toEqual(at(expected, clock()))
        }
        const granted = expected.state.kind === 'settled' && expected.state.answer.action === 'accept'
        expect((await store.grants.read(expected.tenant, expected.id)) !== undefined).toBe(granted)
      },
    ),
    { numRuns: 150 },
  )
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true })
})

/** Makes one move in the store and by the rules, compares what each says of it, and returns the ask by the rules. */
async function makeBoth(store: Store, ask: Ask, next: Move, clock: StoppedClock): Promise<Ask> {
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
      // The store may have recorded it at an earlier answer; by the rules that changed nothing yet.
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
