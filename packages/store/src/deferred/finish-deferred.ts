import { query } from '../engine/statement.ts'

/** Stores the outcome of a call before it is delivered, once. */
export const finishDeferred = query<{ tenant: string; id: string; outcome: string }, { id: string }>(
  'finish_deferred',
  `update deferred_calls set outcome = :outcome, ended_at = :now
   where tenant = :tenant and id = :id and outcome is null
   returning id`,
)
