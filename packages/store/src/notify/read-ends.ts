import { query, type Statement } from '../engine/statement.ts'

// Also an ask whose row was changed outside Assent: requests that wait for it have to read it again.
const isEnd = `kind in ('ask.settled', 'ask.expired', 'ask.withdrawn', 'ask.unverified')`

/** The number of entries in one read. Part of the SQL text, so that the planner knows it. */
export const endsPage = 5_000

/**
 * Audit entries of one tenant in commit order, with the id of the ask if it ended. Because the poll reads these, a lost
 * notification only causes a delay.
 *
 * Numbers are assigned under a lock that the deciding transaction holds until its commit: no entry appears below one that was
 * read, however long a commit takes.
 */
export const readEnds = query<{ tenant: string; after_seq: number }, { seq: number; ended: string | null }>(
  'read_ends',
  `select seq, case when ${isEnd} then subject end as ended from audit_entries
   where tenant = :tenant and seq > cast(:after_seq as bigint)
   order by seq limit ${endsPage}`,
)

/** Those of these asks that have ended. */
export const findEnded: Statement<{ tenant: string; ids: string }, { id: string }> = {
  name: 'find_ended',
  parts: [
    {
      name: 'only',
      sql: `select id from asks where tenant = :tenant and state <> 'open'
        and id in (select jsonb_array_elements_text(cast(:ids as jsonb)))`,
      sqlite: `select id from asks where tenant = :tenant and state <> 'open' and id in (select value from json_each(:ids))`,
    },
  ],
  result: 'only',
}
