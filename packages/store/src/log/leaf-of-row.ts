// The leaf of a stored entry, or why it has none. The constraint `audit_entries_fit` refuses such entries on PostgreSQL.

import { type AuditKind, isDigest, leafOf } from '@assent/core'

export interface LeafRow {
  readonly id: number
  readonly at: number
  readonly kind: string
  readonly subject: string
  readonly counter: number
  readonly digest: string
  readonly assertion_digest: string | null
}

/** A problem as text names the entry, and what to do: until then, no later entry can be added to the log either. */
export function leafOfRow(entry: LeafRow): Uint8Array | string {
  const { id, at: atMs, kind, subject, counter, digest, assertion_digest } = entry
  const known = { atMs, kind: kind as AuditKind, subject, counter, digest }
  const leaf = leafOf(assertion_digest === null ? known : { ...known, assertionDigest: assertion_digest })
  if (leaf !== undefined) return leaf
  const columns = { at: atMs, kind, subject, counter, digest, assertion_digest }
  const wrong = wrongColumns(entry).map((name) => `${name} ${shown(columns[name])}`)
  return `the row of audit_entries with id ${id} is not an audit entry (${wrong.join(', ')}), so another program wrote it. Delete this row as the owner of the table`
}

type Column = Exclude<keyof LeafRow, 'id'>

/** Tries each column in an entry that is otherwise valid. */
function wrongColumns({ at, kind, subject, counter, digest, assertion_digest }: LeafRow): Column[] {
  const valid = { atMs: 0, kind: 'note', subject: 'x', counter: 0, digest: `sha256:${'0'.repeat(64)}` } as const
  const fits = (changes: object) => leafOf({ ...valid, ...changes }) !== undefined
  const checks: Record<Column, boolean> = {
    at: fits({ atMs: at }),
    kind: fits({ kind }),
    subject: fits({ subject }),
    counter: fits({ counter }),
    digest: fits({ digest }),
    assertion_digest: assertion_digest === null || isDigest(assertion_digest),
  }
  return (Object.keys(checks) as Column[]).filter((name) => !checks[name])
}

const shownChars = 80

/** Other programs wrote it: shortened, and without line breaks. */
function shown(value: string | number | null): string {
  const text = JSON.stringify(value)
  return text.length <= shownChars ? text : `${text.slice(0, shownChars)}…`
}
