// Records an approval in the store while it is open. The stored ask decides how it ended, not the reply of the client.

import {
  type Ask,
  type AskDraft,
  AssentError,
  type OpenLimits,
  type Question,
  type Surface,
  soleApprover,
} from '@assent/core'
import { type Ending, endingOfAnswer } from '../ask/ending.ts'
import type { AskRecord } from '../ask/run.ts'
import type { DurableStore } from '../server/durable.ts'

export interface StoredAskOptions {
  readonly store: DurableStore
  readonly tenant: string
  readonly principal: string
  readonly asker: AskDraft['asker']
  readonly question: Question
  readonly via: Surface
  readonly useWithinMs: number
  readonly openAsks: OpenLimits
}

export function storedAskRecord({
  store,
  tenant,
  principal,
  asker,
  question,
  via,
  useWithinMs,
  openAsks,
}: StoredAskOptions): AskRecord {
  const approvalRule = soleApprover(principal)
  return {
    raise: async (id, decideWithinMs) => {
      const draft = {
        tenant,
        id,
        asker,
        principal,
        question,
        commentReaches: 'asker' as const,
        approvalRule,
        decideWithinMs,
        useWithinMs,
      }
      await store.asks.raise(draft, openAsks)
    },
    settle: async (id, answer) => {
      const person = { principal, groups: [] }
      const answered = await store.asks.answer({ tenant, id, person, via, answer })
      if (answered.ask !== undefined) {
        const { state } = answered.ask
        if (state.kind === 'settled' && state.isSecret === true) await store.asks.deleteSecret?.(tenant, id)
        return endingOfAsk(answered.ask)
      }
      // The reply is not an answer, and this connection does not ask the question again, so no other will arrive.
      await store.asks.withdraw(tenant, id, 'call-cancelled')
      return { kind: 'validation_failed', why: answered.message ?? 'it is not an answer to this question.' }
    },
    withdraw: async (id, reason = 'call-cancelled') => {
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
      throw new AssentError('store_unavailable', `The answer to ask ${id} was not stored.`)
  }
}
