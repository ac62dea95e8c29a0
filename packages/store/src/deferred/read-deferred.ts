import { backgroundQuery, query } from '../engine/statement.ts'

export type DeferredRow = {
  state: string
  expires_at: number
  claimed_at: number | null
  claimed_by: string | null
  outcome: string | null
}

/** Only the principal of a deferred call can read it; for anyone else, and after its expiry, it does not exist. */
export const readDeferred = query<{ tenant: string; id: string; principal: string }, DeferredRow>(
  'read_deferred',
  `select state, expires_at, claimed_at, claimed_by, outcome
   from deferred_calls where tenant = :tenant and id = :id and principal = :principal and expires_at > :now`,
)

/** Deletes expired deferred calls. */
export const deleteDeferred = backgroundQuery<{ margin: number }, { id: string }>(
  'delete_deferred',
  'delete from deferred_calls where expires_at < :now - cast(:margin as bigint) returning id',
)
