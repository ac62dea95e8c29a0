import { query, type Statement } from '../engine/statement.ts'

export type AskKey = { tenant: string; id: string }

/** Open asks whose deadline has passed, of all tenants, longest overdue first. */
export const findDue = query<{ at_most: number }, AskKey>(
  'find_due',
  `select tenant, id from asks where state = 'open' and decide_by <= :now order by decide_by limit cast(:at_most as bigint)`,
)

/** A condition: the call of these asks has ended, for good, or was never begun. */
const isCallOver = `not exists (
  select 1 from calls where calls.tenant = asks.tenant and calls.id = asks.call_id and calls.state = 'running')`

/** Open asks of a call that has ended. None while the call runs, such as when its owner renewed its lease just in time. */
export const findOfEndedCall = query<{ tenant: string; call_id: string }, AskKey>(
  'find_of_ended_call',
  `select tenant, id from asks
   where tenant = :tenant and call_id = :call_id and state = 'open' and ${isCallOver}`,
)

/** Answered asks of a call that has ended whose answer the server did not receive. */
export const findUndelivered = query<{ tenant: string; call_id: string }, AskKey>(
  'find_undelivered',
  `select tenant, id from asks
   where tenant = :tenant and call_id = :call_id and state = 'settled' and delivered_at is null and undelivered_at is null
     and ${isCallOver}`,
)

/** The open approval of this action for this principal, the oldest first. The requester is listed for each of them. */
export const findOpenApproval = query<{ tenant: string; principal: string; requester: string; digest: string }, AskKey>(
  'find_open_approval',
  `select a.tenant, a.id from ask_approvers w join asks a on a.tenant = w.tenant and a.id = w.ask_id
   where w.tenant = :tenant and w.approver = :requester and w.is_open = 1 and w.kind = 'approval' and w.decide_by > :now
     and a.state = 'open' and a.principal = :principal and a.digest = :digest
   order by w.raised_at, w.ask_id limit 1`,
)

/** The ids of those of these asks that are open. */
export const findStillOpen: Statement<{ tenant: string; ids: string }, { id: string }> = {
  name: 'find_still_open',
  parts: [
    {
      name: 'only',
      sql: `select id from asks where tenant = :tenant and state = 'open' and decide_by > :now
        and id in (select jsonb_array_elements_text(cast(:ids as jsonb)))`,
      sqlite: `select id from asks where tenant = :tenant and state = 'open' and decide_by > :now
        and id in (select value from json_each(:ids))`,
    },
  ],
  result: 'only',
}
