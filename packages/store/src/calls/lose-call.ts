// Calls that end without an outcome: their owner is dead, or does not hold them any more.

import { type RecordedParams, recorded } from '../audit/recorded.ts'
import { atomic, query } from '../engine/statement.ts'
import { eachOwnerOfCalls } from '../replicas/owners.ts'
import { isLeaseValid } from '../replicas/renew-lease.ts'

/** Calls of all tenants whose owner is dead. It reads one index entry per owner, not one per call. */
export const findLost = query<{ at_most: number }, { tenant: string; id: string; owner: string }>(
  'find_lost',
  `select tenant, id, owner from calls
   where state = 'running' and owner in (select id from (${eachOwnerOfCalls}) as owners where not ${isLeaseValid('owners.id')})
   limit cast(:at_most as bigint)`,
)

type LoseParams = RecordedParams & { tenant: string; id: string }

/** Marks the call of a dead owner as lost, once. */
export const loseCall = atomic<LoseParams, { tenant: string; id: string }>(
  'lose_call',
  ...losing(`not ${isLeaseValid('calls.owner')}`),
)

/** Marks a call as lost that its owner does not hold any more. */
export const abandonCall = atomic<LoseParams & { owner: string }, { tenant: string; id: string }>(
  'abandon_call',
  ...losing('owner = cast(:owner as text)'),
)

function losing(condition: string) {
  const lost = {
    name: 'lost',
    returns: ['tenant', 'id', 'log_counter'],
    selects: ['tenant', 'id'],
    sql: `
      update calls set state = 'lost', ended_at = :now, log_counter = log_counter + 1
      where tenant = :tenant and id = :id and state = 'running' and ${condition}
      returning tenant, id, log_counter`,
  }
  return [lost, recorded('lost', `'call.lost'`)] as const
}
