// The table rows of each contest, read with plain SQL.
//
// The ending is assembled here independently, column by column, instead of with the store's own reader.

import type { AskState, AuditEntry } from '../../packages/core/src/index.ts'
import type { SqlRow, TestDb } from './test-db.ts'

export type Ending = Exclude<AskState, { kind: 'open' }>

export interface Kept {
  readonly ask: SqlRow
  /** Undefined while the row is open. */
  readonly ending: Ending | undefined
  readonly votes: readonly SqlRow[]
  readonly grants: readonly SqlRow[]
  readonly listed: number
  readonly listedOpen: number
  readonly entries: readonly AuditEntry[]
}

export interface TenantTables {
  readonly entries: readonly AuditEntry[]
  /** Entries that are not in the log. */
  readonly outside: number
  kept(askId: string): Kept | undefined
}

export async function readTables({ select }: TestDb, tenant: string): Promise<TenantTables> {
  const of = `where tenant = '${tenant}'`
  const asks = new Map((await select(`select * from asks ${of}`)).map((row) => [row.id, row]))
  const votes = grouped(await select(`select * from votes ${of}`), 'ask_id')
  const grants = grouped(await select(`select * from grants ${of}`), 'ask_id')
  const listed = grouped(
    await select(`select ask_id, count(*) as listed, sum(is_open) as open from ask_approvers ${of} group by ask_id`),
    'ask_id',
  )
  const rows = await select(
    `select e.tenant, e.at, e.kind, e.subject, e.counter, e.digest, e.salt, e.body, i.place, i.hash
     from audit_entries e left join log_index i on i.tenant = e.tenant and i.entry_id = e.id
     where e.tenant = '${tenant}' order by i.place`,
  )
  const placed = rows.filter(({ place }) => place !== null)
  const entries = placed.map(({ at, place, ...row }) => ({ ...row, atMs: at, seq: Number(place) + 1 }) as AuditEntry)
  const bySubject = grouped(entries, 'subject')

  return {
    entries,
    outside: rows.length - placed.length,
    kept: (askId) => {
      const ask = asks.get(askId)
      if (ask === undefined) return undefined
      const [list] = listed.get(askId) ?? []
      return {
        ask,
        ending: endingOf(ask),
        votes: votes.get(askId) ?? [],
        grants: grants.get(askId) ?? [],
        listed: Number(list?.listed ?? 0),
        listedOpen: Number(list?.open ?? 0),
        entries: bySubject.get(askId) ?? [],
      }
    },
  }
}

function endingOf(ask: SqlRow): Ending | undefined {
  switch (ask.state) {
    case 'settled': {
      const [by, via, atMs, decisionId] = [ask.decided_by, ask.decided_via, ask.ended_at, ask.decision_id]
      return { kind: 'settled', answer: JSON.parse(String(ask.answer)), by, via, atMs, decisionId } as Ending
    }
    case 'withdrawn':
      return { kind: 'withdrawn', reason: ask.withdrawn_because, atMs: ask.ended_at } as Ending
    case 'expired':
      return { kind: 'expired', atMs: ask.decide_by } as Ending
    default:
      return undefined
  }
}

function grouped<T extends object>(rows: readonly T[], column: keyof T): Map<unknown, T[]> {
  const groups = new Map<unknown, T[]>()
  for (const row of rows) {
    const group = groups.get(row[column])
    if (group === undefined) groups.set(row[column], [row])
    else group.push(row)
  }
  return groups
}
