// What a running gateway may do with each table, and the SQL that grants it to a role.
//
// Entries and checkpoints of the audit log can be added and read. Nothing that runs can change or delete them: only the role
// that owns the tables can, and no gateway needs that role.

import { AssentError } from '@assent/core'
import type pg from 'pg'

export type Right = 'select' | 'insert' | 'update' | 'delete'

const read = ['select'] as const
const append = ['select', 'insert'] as const
const appendAndTake = ['select', 'insert', 'delete'] as const
const keep = ['select', 'insert', 'update'] as const
const keepAndDelete = ['select', 'insert', 'update', 'delete'] as const

export const rightsByTable: Readonly<Record<string, readonly Right[]>> = {
  ask_approvers: keep,
  asks: keep,
  audit_checkpoints: append,
  audit_entries: append,
  audit_heads: keep,
  calls: keepAndDelete,
  client_sessions: keepAndDelete,
  deferred_calls: keepAndDelete,
  grants: keep,
  letters: appendAndTake,
  migrations: read,
  open_counts: keep,
  replicas: keepAndDelete,
  rounds: keepAndDelete,
  secret_pages: keepAndDelete,
  session_wishes: keepAndDelete,
  sessions: keepAndDelete,
  sign_in_links: keepAndDelete,
  steps: keepAndDelete,
  used_ids: appendAndTake,
  votes: append,
}

/** Statements for the owner of the schema. They also take away what the role should not have. */
export function grantsFor(schema: string, role: string): string[] {
  const to = `"${role.replaceAll('"', '""')}"`
  const tablesWith = (right: Right) => {
    const tables = Object.entries(rightsByTable).filter(([, rights]) => rights.includes(right))
    return tables.map(([table]) => `${schema}.${table}`).join(', ')
  }
  return [
    `grant usage on schema ${schema} to ${to}`,
    `revoke create on schema ${schema} from ${to}`,
    `revoke all on all tables in schema ${schema} from ${to}`,
    `grant execute on all functions in schema ${schema} to ${to}`,
    ...(['select', 'insert', 'update', 'delete'] as const).map(
      (right) => `grant ${right} on ${tablesWith(right)} to ${to}`,
    ),
  ]
}

/** Throws when this role lacks a right, so that it is found at the start and not with the first decision. */
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
