// Checks that the role of a running gateway has the rights that it needs.

import { AssentError } from '@assent/core'
import type pg from 'pg'
import { rightsByTable } from './rights.ts'

/** Throws if this role lacks a right, so that this shows at the start and not at the first decision. */
export async function checkRights(client: pg.ClientBase, schema: string): Promise<void> {
  const needed = Object.entries(rightsByTable).flatMap(([table, rights]) => rights.map((right) => [table, right]))
  const { rows } = await client.query<{ role: string; needed_table: string; needed_right: string }>(
    `select current_user as role, needed_table, needed_right
     from unnest($2::text[], $3::text[]) as needed (needed_table, needed_right)
     left join pg_class c on c.relname = needed_table and c.relnamespace = (select oid from pg_namespace where nspname = $1)
     where has_table_privilege(c.oid, needed_right) is not true`,
    [schema, needed.map(([table]) => table), needed.map(([, right]) => right)],
  )
  const [first] = rows
  if (first === undefined) return
  const more = rows.length === 1 ? '' : `, and ${rows.length - 1} more rights are missing`
  throw new AssentError(
    'misconfigured',
    `The database role "${first.role}" lacks the right to ${first.needed_right} on ${schema}.${first.needed_table}${more}. Run as the owner of the tables: assent migrate --grants ${first.role}`,
  )
}
