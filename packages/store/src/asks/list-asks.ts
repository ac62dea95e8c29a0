import { query, type Statement } from '../engine/statement.ts'
import { type AskRow, askColumns } from './ask-row.ts'

export interface ListShape {
  readonly open: boolean
  readonly byServer: boolean
  readonly byKind: boolean
  /** Written into the text: with a parameter the planner would have to guess how many rows are wanted. */
  readonly atMost: number
}

export type ListParams = {
  tenant: string
  approver: string
  server: string | null
  kind: string | null
  before_at: number
  before_id: string
}

const byShape = new Map<string, Statement<ListParams, AskRow>>()

/**
 * A page of what one approver name may see, newest first.
 *
 * It walks an index that holds exactly this order, from the last row of the page before, and only then fetches the asks
 * of that page; so a page costs the same whether ten asks are open or a million.
 */
export function listAsks({ open, byServer, byKind, atMost }: ListShape): Statement<ListParams, AskRow> {
  const name = `list_${open ? 'open' : 'ended'}_${byServer ? 'of_server_' : ''}${byKind ? 'of_kind_' : ''}${atMost}`
  let statement = byShape.get(name)
  if (statement === undefined) {
    statement = query<ListParams, AskRow>(
      name,
      `select ${askColumns}
       from (
         select tenant, ask_id, raised_at from ask_approvers
         where tenant = :tenant and approver = :approver and is_open = ${open ? 1 : 0}
           and (raised_at, ask_id) < (cast(:before_at as bigint), :before_id)
           ${open ? 'and decide_by > :now' : ''}
           ${byServer ? 'and server = :server' : ''}
           ${byKind ? 'and kind = :kind' : ''}
         order by raised_at desc, ask_id desc
         limit ${atMost}
       ) p join asks a on a.tenant = p.tenant and a.id = p.ask_id
       order by p.raised_at desc, p.ask_id desc`,
    )
    byShape.set(name, statement)
  }
  return statement
}
