// The rights of a running gateway on each table, and the SQL that grants them to a role.
//
// A gateway can add and read entries of the audit log and their places in it, but not change or delete them: only the role that
// owns the tables can, and no gateway needs that role.

export type Right = 'select' | 'insert' | 'update' | 'delete'

const read = ['select'] as const
const append = ['select', 'insert'] as const
const appendAndDelete = ['select', 'insert', 'delete'] as const
const update = ['select', 'insert', 'update'] as const
const updateAndDelete = ['select', 'insert', 'update', 'delete'] as const

export const rightsByTable: Readonly<Record<string, readonly Right[]>> = {
  ask_approvers: update,
  asks: update,
  audit_entries: append,
  calls: updateAndDelete,
  client_sessions: updateAndDelete,
  deferred_calls: updateAndDelete,
  grants: update,
  log_heads: update,
  log_index: append,
  log_tiles: update,
  migrations: read,
  open_counts: update,
  outbox: updateAndDelete,
  passkeys: update,
  recorded_calls: updateAndDelete,
  replicas: updateAndDelete,
  rounds: updateAndDelete,
  secret_pages: updateAndDelete,
  session_settings: updateAndDelete,
  sessions: updateAndDelete,
  sign_in_links: updateAndDelete,
  steps: updateAndDelete,
  tool_definitions: update,
  used_ids: appendAndDelete,
  votes: append,
}

/** Statements for the owner of the schema. They also revoke rights that the role should not have. */
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
