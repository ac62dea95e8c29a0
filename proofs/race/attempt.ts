// One actor's attempt to end an ask, and the reply. Used by the racing processes and by the supervisor's latecomer.
//
// It records the store's reply unchanged and checks nothing.

import type { Ask, AskState } from '../../packages/core/src/index.ts'
import type { Store } from '../../packages/store/src/index.ts'
import { retried } from '../../test-kit/retried.ts'
import { type Attempt, shortestMs, workers } from './plan.ts'

export interface Reply {
  readonly attempt: Attempt
  /** The kind of the store's reply; `threw` if it threw. */
  readonly kind: string
  readonly message?: string
  /** A busy database did not answer in time, so it was tried again. The first try may have been done. */
  readonly isRepeated: boolean
  /** The ask's state in the reply, and the decisions that the reply lists as counted. */
  readonly state?: AskState
  readonly counted?: readonly string[]
  /** Wall-clock time with fractions: processes of one machine share it. */
  readonly startedAtMs: number
  readonly endedAtMs: number
}

/** When asks with a deadline between the clocks are raised. */
export const raisedAtMs: number = Date.UTC(2026, 6, 28, 12)

/**
 * Two fixed clocks around the deadline, which differ from process to process: so the time in an outcome identifies the
 * process.
 */
export function clockMs(store: 'before' | 'after', worker: number): number {
  return raisedAtMs + shortestMs + worker - (store === 'before' ? workers : 0)
}

export function preciseNowMs(): number {
  return performance.timeOrigin + performance.now()
}

export async function tryMove(store: Store, tenant: string, askId: string, attempt: Attempt): Promise<Reply> {
  const startedAtMs = preciseNowMs()
  let tries = 0
  const once = () => {
    tries++
    return move(store, tenant, askId, attempt)
  }
  const outcome = await retried(once).catch((error: unknown) => ({ kind: 'threw', message: String(error) }))
  const reply = { attempt, kind: outcome.kind, isRepeated: tries > 1, startedAtMs, endedAtMs: preciseNowMs() }
  if ('ask' in outcome) {
    return { ...reply, state: outcome.ask.state, counted: outcome.ask.votes.map(({ decisionId }) => decisionId) }
  }
  return outcome.message === undefined ? reply : { ...reply, message: outcome.message }
}

type StoreReply = { kind: string; ask: Ask } | { kind: string; message?: string }

async function move({ asks }: Store, tenant: string, id: string, attempt: Attempt): Promise<StoreReply> {
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
