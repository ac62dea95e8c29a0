import { query, unhurriedQuery } from '../engine/statement.ts'

export type DeferredRow = {
  state: string
  expires_at: number
  claimed_at: number | null
  claimed_call: string | null
  outcome: string | null
}

/** A deferred call is read by the principal it runs for; for anyone else, and after its time, it does not exist. */
export const readDeferred = query<{ tenant: string; id: string; principal: string }, DeferredRow>(
  'read_deferred',
  `select state, expires_at, claimed_at, claimed_call, outcome
   from deferred_calls where tenant = :tenant and id = :id and principal = :principal and expires_at > :now`,
)

/** Forgets what nobody can fetch any more. */
export const forgetDeferred = unhurriedQuery<{ margin: number }, { id: string }>(
  'forget_deferred',
  'delete from deferred_calls where expires_at < :now - cast(:margin as bigint) returning id',
)
