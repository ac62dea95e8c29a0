import type { Statement } from '../engine/statement.ts'
import { entriesSince } from '../log/position.ts'

/** The number of entries in one read. Part of the SQL text, so that the planner knows it. */
export const endsPage = 5_000

/** Audit entries since a position. Because the poll reads these, a lost notification only causes a delay. */
export const readEnds = entriesSince<{ kind: string; subject: string }>('read_ends', endsPage, ['kind', 'subject'])

/** Also an ask whose row was changed outside Assent: requests that wait for it have to read it again. */
export const endKinds: readonly string[] = ['ask.settled', 'ask.expired', 'ask.withdrawn', 'ask.unverified']

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
