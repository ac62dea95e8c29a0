// Where a reader of audit entries is: it has read the entries that were visible there, and no others.
//
// On PostgreSQL a position is a snapshot (`xmin:xmax:running transactions`). Entries since then are those that were not visible in
// it and are now, whichever number they have: a transaction that began early and commits late is neither skipped nor does it
// delay others. Between two pages it is `before|until|id`: the entries of a snapshot after the one before, up to this number. On
// SQLite, where one process writes at a time, it is the number of the last entry.
//
// A proxy may send reads to a standby. Its snapshots do not list the running transactions, so a position there includes only what is
// older than all of them. A standby that has not reached a position yet returns nothing, and the position stays.

import { type Part, query, type Row, type Statement } from '../engine/statement.ts'

/** The position before the first entry, on both engines. */
export const startPosition = '0'

// Of a standby: only the transactions before the oldest running one, because it does not list the running ones.
const snapshotEnd = `case when pg_is_in_recovery() then pg_snapshot_xmin(pg_current_snapshot())
  else pg_snapshot_xmax(pg_current_snapshot()) end`

/** SQL for the current position on PostgreSQL. */
export const currentSnapshot = `case when pg_is_in_recovery()
  then concat(pg_snapshot_xmin(pg_current_snapshot()), ':', pg_snapshot_xmin(pg_current_snapshot()), ':')
  else cast(pg_current_snapshot() as text) end`

// No transaction is visible in it.
const emptySnapshot = '1:1:'
const snapshotPattern = /^(\d{1,19}):(\d{1,19}):((?:\d{1,19})(?:,\d{1,19})*)?$/

interface Parts {
  readonly after: string
  readonly until: string | null
  readonly id: number
}

export type SinceParams = { tenant: string; after: string; until: string | null; after_id: number }
/** One row at least: without entries, `id` is null. `is_standby` is 1 if a standby was read. */
export type SinceRow = { snapshot: string; is_standby: number; id: number | null }

export interface ReadSince<R> {
  readonly entries: readonly (R & { readonly id: number })[]
  readonly position: string
  readonly more: boolean
}

/**
 * The entries of a tenant since a position, at most `atMost`, with these columns.
 *
 * An entry whose transaction this server has not begun yet was restored from another one. It is left out until then: otherwise it
 * would be new in every snapshot.
 *
 * @param condition on PostgreSQL, for a reader that must not get an entry again after a restore
 */
export function entriesSince<R extends Row>(
  name: string,
  atMost: number,
  columns: readonly string[],
  condition = '',
): Statement<SinceParams, R & SinceRow> {
  const all = ['id', ...columns].join(', ')
  const after = 'cast(cast(:after as text) as pg_snapshot)'
  // Those that began after the snapshot, and those that were running then: a range of everything since the oldest running one
  // would be read again and again while that one stays open.
  const notVisible = [`xid >= pg_snapshot_xmax(${after})`, `xid in (select pg_snapshot_xip(${after}))`]
  const parts = notVisible.map(
    (isNew) => `
        select ${all} from audit_entries
        where tenant = :tenant and ${isNew}
          and xid < ${snapshotEnd}
          and (cast(:until as text) is null
            or pg_visible_in_snapshot(xid, cast(cast(:until as text) as pg_snapshot)))
          and id > cast(:after_id as bigint)${condition}`,
  )
  const shown = columns.map((column) => `, e.${column}`).join('')
  // Materialized: the planner would otherwise read the whole table in the order of its ids.
  const sql = `
    select s.snapshot, s.is_standby, e.id${shown}
    from (select ${currentSnapshot} as snapshot, cast(pg_is_in_recovery() as integer) as is_standby) s
    left join (
      with recent as materialized (${parts.join('\n        union all')}
      ) select ${all} from recent order by id limit ${atMost}
    ) e on 1 = 1
    order by e.id`
  const sqlite = `
    select cast((select coalesce(max(id), 0) from audit_entries where tenant = :tenant) as text) as snapshot,
      0 as is_standby, e.id${shown}
    from (select 1) s
    left join (
      select ${all} from audit_entries where tenant = :tenant and id > cast(:after_id as integer)
      order by id limit ${atMost}
    ) e on 1 = 1
    order by e.id`
  const part: Part = { name: 'only', sql, sqlite }
  return { name: `${name}_${atMost}`, parts: [part], result: 'only' }
}

export function sinceParams(tenant: string, position: string): SinceParams {
  const { after, until, id } = partsOf(position) ?? { after: emptySnapshot, until: null, id: 0 }
  return { tenant, after, until, after_id: id }
}

/** @param rows that were read with `sinceParams` of this position */
export function readFrom<R extends SinceRow>(position: string, rows: readonly R[], atMost: number): ReadSince<R> {
  const entries = rows.filter((row): row is R & { readonly id: number } => row.id !== null)
  const last = entries.at(-1)?.id
  const isFull = entries.length === atMost
  const snapshot = rows[0]?.snapshot ?? position
  if (rows[0]?.is_standby === 1 && isAhead(position, snapshot)) return { entries: [], position, more: false }
  const { after, until, id } = partsOf(position) ?? { after: emptySnapshot, until: null, id: 0 }
  if (!snapshot.includes(':')) return { entries, position: String(last ?? id), more: isFull }
  if (isFull) return { entries, position: `${after}|${until ?? snapshot}|${last}`, more: true }
  return { entries, position: until ?? snapshot, more: until !== null }
}

/** Whether a position cannot have come from a database with this one: it was restored, or is another one. */
export function isAhead(position: string, current: string): boolean {
  if (position === startPosition) return false
  const [one, other] = [partsOf(position), partsOf(current)]
  if (one === undefined || other === undefined || isSnapshot(position) !== isSnapshot(current)) return true
  return isSnapshot(current) ? lastOf(one.until ?? one.after) > lastOf(other.until ?? other.after) : one.id > other.id
}

/**
 * Whether these rows are from a database that was restored, or from a former standby that lost transactions: the position has
 * transactions that it never had. Which of its entries were read before is then unknown.
 */
export function isRestored(position: string, rows: readonly SinceRow[]): boolean {
  const [row] = rows
  return row !== undefined && row.is_standby === 0 && isAhead(position, row.snapshot)
}

export const readPosition: Statement<{ tenant: string }, { position: string }> = {
  ...query('read_position', ''),
  parts: [
    {
      name: 'only',
      sql: `select ${currentSnapshot} as position where cast(:tenant as text) is not null`,
      sqlite: 'select cast(coalesce(max(id), 0) as text) as position from audit_entries where tenant = :tenant',
    },
  ],
}

function isSnapshot(position: string): boolean {
  return position.includes(':')
}

function lastOf(snapshot: string): bigint {
  return BigInt(snapshotPattern.exec(snapshot)?.[2] ?? 0)
}

function partsOf(position: string): Parts | undefined {
  const [after = '', until, id, ...more] = position.split('|')
  if (more.length > 0) return undefined
  if (until === undefined) {
    if (/^\d{1,15}$/.test(after)) return { after: emptySnapshot, until: null, id: Number(after) }
    return isValid(after) ? { after, until: null, id: 0 } : undefined
  }
  const isWhole = isValid(after) && isValid(until) && /^\d{1,15}$/.test(id ?? '')
  return isWhole ? { after, until, id: Number(id) } : undefined
}

/** Whether PostgreSQL reads it: the running transactions are in order, and between the two numbers. */
function isValid(snapshot: string): boolean {
  const [, oldest = '', next = '', running] = snapshotPattern.exec(snapshot) ?? []
  if (next === '') return false
  const [first, end] = [BigInt(oldest), BigInt(next)]
  const list = running === undefined ? [] : running.split(',').map(BigInt)
  const isInOrder = list.every((one, at) => one >= first && one < end && (at === 0 || one > (list[at - 1] ?? 0n)))
  return first > 0n && first <= end && isInOrder
}
