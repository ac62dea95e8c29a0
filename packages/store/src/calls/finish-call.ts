import { query } from '../engine/statement.ts'
import { isLeaseValid } from '../replicas/renew-lease.ts'

type FinishParams = { tenant: string; id: string; owner: string; outcome: string }

/** Stores the outcome before it is delivered. Only the owner can, and only while its lease is valid. */
export const finishCall = query<FinishParams, { id: string }>(
  'finish_call',
  `update calls set state = 'finished', outcome = :outcome, ended_at = :now
   where tenant = :tenant and id = :id and owner = :owner and state = 'running' and ${isLeaseValid('calls.owner')}
   returning id`,
)

/** The state of a call that could not be finished, and whether this owner has stored exactly this outcome before. */
export const findUnfinished = query<FinishParams, { state: string; is_stored: number }>(
  'find_unfinished',
  `select state, case when state = 'finished' and outcome = :outcome then 1 else 0 end as is_stored from calls
   where tenant = :tenant and id = :id and owner = :owner`,
)
