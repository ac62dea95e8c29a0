// Keeps an approval in the store while it is open. How it ended is what the store says, whatever else came back.

import { type Ask, type AskDraft, AssentError, type OpenLimits, only, type Question, type Surface } from '@assent/core'
import { type Ending, endingOfAnswer } from '../ask/ending.ts'
import type { DurableStore } from '../durable.ts'
import type { Keeper } from '../run/run.ts'

export interface Kept {
  readonly store: DurableStore
  readonly tenant: string
  readonly principal: string
  readonly asker: AskDraft['asker']
  readonly question: Question
  readonly via: Surface
  readonly useWithinMs: number
  readonly openAsks: OpenLimits
}

export function keeperIn({ store, tenant, principal, asker, question, via, useWithinMs, openAsks }: Kept): Keeper {
  const electorate = only(principal)
  return {
    raised: async (id, decideWithinMs) => {
      const draft = {
        tenant,
        id,
        asker,
        principal,
        question,
        commentReaches: 'asker' as const,
        electorate,
        decideWithinMs,
        useWithinMs,
      }
      await store.asks.raise(draft, openAsks)
    },
    settled: async (id, answer) => {
      const person = { principal, groups: [] }
      const answered = await store.asks.answer({ tenant, id, person, via, answer })
      if (answered.ask !== undefined) {
        const { state } = answered.ask
        if (state.kind === 'settled' && state.isSecret === true) await store.asks.deleteSecret?.(tenant, id)
        return endingOfAsk(answered.ask)
      }
      // Not an answer at all, and there will be no other: over this connection the question is not asked again.
      await store.asks.withdraw(tenant, id, 'call-cancelled')
      return { kind: 'validation_failed', why: answered.message ?? 'it is no answer to this question.' }
    },
    withdrawn: async (id, reason = 'call-cancelled') => {
      const { kind, ask } = await store.asks.withdraw(tenant, id, reason)
      return kind === 'ended' && ask?.state.kind === 'settled' ? endingOfAsk(ask) : undefined
    },
  }
}

function endingOfAsk({ id, state }: Ask): Ending {
  switch (state.kind) {
    case 'settled':
      return endingOfAnswer(state.answer)
    case 'expired':
      return { kind: 'timed_out' }
    case 'withdrawn':
      return state.reason === 'unverified'
        ? { kind: 'validation_failed', why: 'the stored approval does not match its signatures.' }
        : { kind: 'cancelled' }
    case 'open':
      throw new AssentError('store_unavailable', `The answer to ask ${id} was not kept.`)
  }
}
