// One actor's attempt on an ask, and what it was told. Both the racing processes and the supervisor's latecomer use it.
//
// It keeps what the store says exactly as said and judges nothing.

import type { Ask, AskState } from '../packages/core/src/index.ts'
import type { Store } from '../packages/store/src/index.ts'
import { type Attempt, shortestMs, workers } from './race-plan.part.ts'

export interface Reply {
  readonly attempt: Attempt
  /** As the store said it; `threw` when it threw. */
  readonly kind: string
  readonly message?: string
  /** The ask's state as this actor was told it, and the decisions it was told had counted. */
  readonly state?: AskState
  readonly counted?: readonly string[]
  /** By the wall clock, with fractions: processes of one machine share it. */
  readonly startedAtMs: number
  readonly endedAtMs: number
}

/** When every ask whose deadline lies between the clocks is raised. */
export const raisedAtMs: number = Date.UTC(2026, 6, 28, 12)

/**
 * Two clocks around the deadline, which stand still and differ from process to process: so the time in an outcome tells
 * whose it is.
 */
export function clockMs(store: 'before' | 'after', worker: number): number {
  return raisedAtMs + shortestMs + worker - (store === 'before' ? workers : 0)
}

export function preciseNowMs(): number {
  return performance.timeOrigin + performance.now()
}

export async function tryMove(store: Store, tenant: string, askId: string, attempt: Attempt): Promise<Reply> {
  const startedAtMs = preciseNowMs()
  const told = await move(store, tenant, askId, attempt).catch((error: unknown) => ({
    kind: 'threw',
    message: String(error),
  }))
  const reply = { attempt, kind: told.kind, startedAtMs, endedAtMs: preciseNowMs() }
  if ('ask' in told) {
    return { ...reply, state: told.ask.state, counted: told.ask.votes.map(({ decisionId }) => decisionId) }
  }
  return told.message === undefined ? reply : { ...reply, message: told.message }
}

type Told = { kind: string; ask: Ask } | { kind: string; message?: string }

async function move({ asks }: Store, tenant: string, id: string, attempt: Attempt): Promise<Told> {
  if (attempt.kind === 'expire') return asks.expire(tenant, id)
  if (attempt.kind === 'withdraw') return asks.withdraw(tenant, id, attempt.reason)
  const { kind, by, decisionId } = attempt
  return asks.answer({
    tenant,
    id,
    person: { principal: by, groups: [] },
    via: 'inbox',
    answer: { action: kind },
    decisionId,
  })
}
