import { query } from '../engine/statement.ts'

/** Stores the outcome before it is delivered. Only the owner can, and only while its lease is valid. */
export const finishCall = query<{ tenant: string; id: string; owner: string; outcome: string }, { id: string }>(
  'finish_call',
  `update calls set state = 'finished', outcome = :outcome, ended_at = :now
   where tenant = :tenant and id = :id and owner = :owner and state = 'running' and lease_until > :now
   returning id`,
)

/** Whether this owner has stored exactly this outcome. */
export const findFinished = query<{ tenant: string; id: string; owner: string; outcome: string }, { id: string }>(
  'find_finished',
  `select id from calls
   where tenant = :tenant and id = :id and owner = :owner and state = 'finished' and outcome = :outcome`,
)
