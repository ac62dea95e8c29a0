import { query } from '../engine/statement.ts'

/** Stores the outcome of a step, once. Only the owner that claimed it can. */
export const finishStep = query<
  { tenant: string; call_id: string; name: string; owner: string; outcome: string },
  { name: string }
>(
  'finish_step',
  `update steps set outcome = :outcome
   where tenant = :tenant and call_id = :call_id and name = :name and owner = :owner and outcome is null
   returning name`,
)
