import { query, type Statement } from '../engine/statement.ts'
import { type AskRow, askColumns } from './ask-row.ts'
import { outcomeColumn } from './outcome-column.ts'

export interface ListShape {
  readonly open: boolean
  readonly byServer: boolean
  readonly byKind: boolean
  /** Only for ended asks; an open ask has no outcome. */
  readonly byOutcome: boolean
  /** Part of the SQL text: with a parameter the planner would have to guess the number of rows. */
  readonly atMost: number
}

/** With its position in the list: when it was raised, or when it ended. */
export type ListedAskRow = AskRow & { place: number }

export type ListParams = {
  tenant: string
  approver: string
  server: string | null
  kind: string | null
  outcome: string | null
  before_at: number
  before_id: string
}

const byShape = new Map<string, Statement<ListParams, ListedAskRow>>()

/**
 * A page of the asks that one approver name may see: open ones by the time they were raised, the others by the time they ended,
 * newest first.
 *
 * It scans an index that has exactly this order, starting at the last row of the previous page, and then reads only the asks of
 * this page. So a page costs the same whether ten asks are open or a million. With a filter by outcome, which is not in the
 * index, it reads each ask that it passes: a page then costs as much as the number of asks that it skips.
 */
export function listAsks({
  open,
  byServer,
  byKind,
  byOutcome,
  atMost,
}: ListShape): Statement<ListParams, ListedAskRow> {
  const name = `list_${open ? 'open' : 'ended'}_${byServer ? 'of_server_' : ''}${byKind ? 'of_kind_' : ''}${byOutcome ? 'of_outcome_' : ''}${atMost}`
  let statement = byShape.get(name)
  if (statement === undefined) {
    // An older version beside this one ends asks without a time here. SQLite starts at a position in an index of an expression
    // only if it is compared alone and without a cast.
    const place = open ? 'w.raised_at' : 'coalesce(w.ended_at, w.raised_at)'
    statement = query<ListParams, ListedAskRow>(
      name,
      `select ${askColumns}, p.place
       from (
         select w.tenant, w.ask_id, ${place} as place from ask_approvers w
           ${byOutcome ? 'join asks a on a.tenant = w.tenant and a.id = w.ask_id' : ''}
         where w.tenant = :tenant and w.approver = :approver and w.is_open = ${open ? 1 : 0}
           and (${place}, w.ask_id) < (cast(:before_at as bigint), :before_id)
           ${open ? '' : `and ${place} <= :before_at`}
           ${open ? 'and w.decide_by > :now' : ''}
           ${byServer ? 'and w.server = :server' : ''}
           ${byKind ? 'and w.kind = :kind' : ''}
           ${byOutcome ? `and ${outcomeColumn} = :outcome` : ''}
         order by ${place} desc, w.ask_id desc
         limit ${atMost}
       ) p join asks a on a.tenant = p.tenant and a.id = p.ask_id
       order by p.place desc, p.ask_id desc`,
    )
    byShape.set(name, statement)
  }
  return statement
}
