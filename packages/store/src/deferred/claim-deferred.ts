import { query } from '../engine/statement.ts'

/**
 * Takes a call to go on with it, once. `claimed_at is null` in the where clause is the lock: of two that come at the same
 * moment the second finds it taken. A claim never runs out, because nobody can know how far its holder came; the
 * call it names says whether the holder lives.
 */
export const claimDeferred = query<{ tenant: string; id: string; principal: string; call: string }, { id: string }>(
  'claim_deferred',
  `update deferred_calls set claimed_at = :now, claimed_call = :call
   where tenant = :tenant and id = :id and principal = :principal and claimed_at is null and expires_at > :now
   returning id`,
)
