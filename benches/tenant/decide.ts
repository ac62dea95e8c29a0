// One decision of a load: a person raises an ask within the usual limits and answers it.

import { randomBytes } from 'node:crypto'
import { type AskDraft, newId, type OpenLimits } from '@assent/core'
import type { Store } from '@assent/store'
import { decideWithinMs, question, servers, useWithinMs } from '../store/load.ts'

/** Those of a gateway without other settings. */
const usualLimits: OpenLimits = { perCaller: 100, perServer: 10_000, perTenant: 20_000, total: 100_000 }
const answer = { action: 'accept' } as const

/** How each of the two requests is sent. */
export type Attempt = <Value>(step: () => Promise<Value>) => Promise<Value>
const once: Attempt = (step) => step()

interface Decision {
  readonly tenant: string
  readonly person: string
  /** Chooses the server that asks. */
  readonly n: number
}

/** Returns how long it took, in milliseconds. */
export async function decide(store: Store, { tenant, person, n }: Decision, attempt: Attempt = once): Promise<number> {
  const startedAt = performance.now()
  const draft = draftOf(tenant, person, n)
  await attempt(() => store.asks.raise(draft, usualLimits))
  const decisionId = newId('decision', Date.now(), randomBytes)
  const given = { person: { principal: person, groups: [] }, via: 'inbox', answer, decisionId } as const
  const { kind } = await attempt(() => store.asks.answer({ tenant, id: draft.id, ...given }))
  if (kind !== 'settled') throw new Error(`An ask should be settled, but is "${kind}".`)
  return performance.now() - startedAt
}

function draftOf(tenant: string, person: string, n: number): AskDraft {
  return {
    tenant,
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: `deploy-${n % servers}`, tool: 'rollout' },
    principal: person,
    question: question(),
    approvalRule: { approvers: [`person:${person}`], excluded: [], approvals: 1, declines: 1 },
    decideWithinMs,
    useWithinMs,
  }
}
