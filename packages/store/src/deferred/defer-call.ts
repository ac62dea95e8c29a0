import { query } from '../engine/statement.ts'

/** Stores the state needed to continue a call. The same id again changes nothing. */
export const deferCall = query<
  { tenant: string; id: string; principal: string; state: string; keep: number },
  { id: string }
>(
  'defer_call',
  `insert into deferred_calls (tenant, id, principal, state, deferred_at, expires_at)
   values (:tenant, :id, :principal, :state, :now, :now + cast(:keep as bigint))
   on conflict (tenant, id) do nothing
   returning id`,
)
