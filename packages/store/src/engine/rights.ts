// What a running gateway may do with each table, and the SQL that grants it to a role.
//
// Entries and checkpoints of the audit log can be added and read. Nothing that runs can change or delete them: only the role
// that owns the tables can, and no gateway needs that role.

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
