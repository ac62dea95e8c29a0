import { query, type Statement } from '../engine/statement.ts'

export type AskKey = { tenant: string; id: string }

/** Open asks whose deadline has passed, of all tenants, longest overdue first. */
export const findDue = query<{ at_most: number }, AskKey>(
  'find_due',
  `select tenant, id from asks where state = 'open' and decide_by <= :now order by decide_by limit cast(:at_most as bigint)`,
)

/** Open asks that one call waits for. */
export const findOfCall = query<{ tenant: string; call_id: string }, AskKey>(
  'find_of_call',
  `select tenant, id from asks where tenant = :tenant and call_id = :call_id and state = 'open'`,
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
