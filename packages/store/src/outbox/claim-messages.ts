import { query } from '../engine/statement.ts'

export type ClaimMessagesParams = { tenant: string; owner: string; lease: number; at_most: number }

export type ClaimedMessageRow = {
  ask_id: string
  stage: string
  attempts: number
  done: string | null
  claimed_until: number
}

/**
 * Claims messages that are due for one process. The end of an ask makes its row due at once, whatever was due before.
 *
 * The lease in the outer where clause is the lock: PostgreSQL checks it again on the newest version of a row, so of two
 * claims at the same moment one gets the row.
 */
export const claimMessages = query<ClaimMessagesParams, ClaimedMessageRow>(
  'claim_messages',
  `update outbox set claimed_by = :owner, claimed_until = :now + cast(:lease as bigint), attempts = attempts + 1
   where tenant = :tenant and (claimed_until is null or claimed_until <= :now)
     and ask_id in (
       select o.ask_id from outbox o join asks a on a.tenant = o.tenant and a.id = o.ask_id
       where o.tenant = :tenant and (o.claimed_until is null or o.claimed_until <= :now)
         and (o.due_at <= :now or (o.stage <> 'ended' and a.state <> 'open'))
       order by o.due_at limit cast(:at_most as bigint))
   returning ask_id, stage, attempts, done, claimed_until`,
)
