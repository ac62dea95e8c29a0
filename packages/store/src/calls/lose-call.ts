import { isRecordable, type RecordedParams, recorded } from '../audit/recorded.ts'
import { atomic, query } from '../engine/statement.ts'

/** Calls of all tenants whose owner has not renewed its lease. */
export const findLost = query<{ at_most: number }, { tenant: string; id: string; owner: string }>(
  'find_lost',
  `select tenant, id, owner from calls where state = 'running' and lease_until <= :now
   order by lease_until limit cast(:at_most as bigint)`,
)

/** Marks one such call as lost, once. Its owner can no longer finish it. */
export const loseCall = atomic<RecordedParams & { tenant: string; id: string }, { tenant: string; id: string }>(
  'lose_call',
  {
    name: 'lost',
    returns: ['tenant', 'id'],
    sql: `
      update calls set state = 'lost', ended_at = :now
      where tenant = :tenant and id = :id and state = 'running' and lease_until <= :now and ${isRecordable}
      returning tenant, id`,
  },
  ...recorded('lost', `'call.lost'`),
)
