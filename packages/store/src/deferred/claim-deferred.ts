import { query } from '../engine/statement.ts'

/**
 * Claims a call to continue it, once. `claimed_at is null` in the where clause is the lock: of two claims at the same moment,
 * the second finds it claimed. A claim never expires, because it is unknown how far its replica came.
 */
export const claimDeferred = query<{ tenant: string; id: string; principal: string; owner: string }, { id: string }>(
  'claim_deferred',
  `update deferred_calls set claimed_at = :now, claimed_by = :owner
   where tenant = :tenant and id = :id and principal = :principal and claimed_at is null and expires_at > :now
   returning id`,
)
