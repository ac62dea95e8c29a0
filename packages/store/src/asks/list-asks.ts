import type { AskCaller } from '@assent/core'
import { query, type Statement } from '../engine/statement.ts'
import { type AskRow, askColumns } from './ask-row.ts'
import { outcomeColumn } from './outcome-column.ts'

export interface ListShape {
  readonly open: boolean
  readonly byServer: boolean
  readonly byKind: boolean
  /** Only for ended asks; an open ask has no outcome. */
  readonly byOutcome: boolean
  readonly byTool: boolean
  readonly byAgent: boolean
  readonly byProject: boolean
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
  tool: string | null
  /** A member of the stored caller: `callerMember`. */
  agent: string | null
  project: string | null
} & ListRange

/** From a position, which is part of it, up to another one, which is not: a list starts at the second one. */
export type ListRange = { after_at: number; after_id: string; before_at: number; before_id: string }

const byShape = new Map<string, Statement<ListParams, ListedAskRow>>()

/**
 * A page of the asks that one approver name may see: open ones by the time they were raised, the others by the time they ended,
 * newest first.
 *
 * It scans an index that has exactly this order, starting at the last row of the previous page, and then reads only the asks of
 * this page. So a page costs the same whether ten asks are open or a million. Filters are not in the index: with one it reads each
 * ask that it passes, so the range must be limited (`searchEnd`).
 */
export function listAsks({
  open,
  byServer,
  byKind,
  byOutcome,
  byTool,
  byAgent,
  byProject,
  atMost,
}: ListShape): Statement<ListParams, ListedAskRow> {
  const name = `list_${open ? 'open' : 'ended'}_${byServer ? 'of_server_' : ''}${byKind ? 'of_kind_' : ''}${byOutcome ? 'of_outcome_' : ''}${byTool ? 'of_tool_' : ''}${byAgent ? 'of_agent_' : ''}${byProject ? 'of_project_' : ''}${atMost}`
  let statement = byShape.get(name)
  if (statement === undefined) {
    const place = placeOf(open)
    statement = query<ListParams, ListedAskRow>(
      name,
      `select ${askColumns}, p.place
       from (
         select w.tenant, w.ask_id, ${place} as place from ask_approvers w
           ${byOutcome || byTool || byAgent || byProject ? 'join asks a on a.tenant = w.tenant and a.id = w.ask_id' : ''}
         where ${inRange(open)}
           ${open ? 'and w.decide_by > :now' : ''}
           ${byServer ? 'and w.server = :server' : ''}
           ${byKind ? 'and w.kind = :kind' : ''}
           ${byOutcome ? `and ${outcomeColumn} = :outcome` : ''}
           ${byTool ? 'and a.tool = :tool' : ''}
           ${byAgent ? `and ${hasMember(':agent')}` : ''}
           ${byProject ? `and ${hasMember(':project')}` : ''}
         order by ${place} desc, w.ask_id desc
         limit ${atMost}
       ) p join asks a on a.tenant = p.tenant and a.id = p.ask_id
       order by p.place desc, p.ask_id desc`,
    )
    byShape.set(name, statement)
  }
  return statement
}

/**
 * Where a search of these asks must stop: the last of the next `searched` asks, and the one after it. No second row: the search
 * reaches the end.
 */
export function searchEnd(open: boolean, searched: number): Statement<SearchEndParams, Position> {
  const place = placeOf(open)
  return query(
    `search_end_${open ? 'open' : 'ended'}_${searched}`,
    `select ${place} as place, w.ask_id as id from ask_approvers w
     where ${inRange(open)}
     order by ${place} desc, w.ask_id desc
     limit 2 offset ${searched - 1}`,
  )
}

export type Position = { place: number; id: string }
export type SearchEndParams = Pick<ListParams, 'tenant' | 'approver'> & ListRange

/** How the stored caller contains this name. Quotes inside a name are escaped, so no name can look like a member. */
export function callerMember(member: keyof AskCaller, name: string): string {
  return JSON.stringify({ [member]: name }).slice(1, -1)
}

// An older version beside this one ends asks without a time here.
const placeOf = (open: boolean) => (open ? 'w.raised_at' : 'coalesce(w.ended_at, w.raised_at)')

// SQLite starts and stops at a position in an index of an expression only if it is compared alone and without a cast.
const inRange = (open: boolean) => {
  const place = placeOf(open)
  return `w.tenant = :tenant and w.approver = :approver and w.is_open = ${open ? 1 : 0}
           and (${place}, w.ask_id) < (cast(:before_at as bigint), :before_id)
           and (${place}, w.ask_id) >= (cast(:after_at as bigint), :after_id)
           ${open ? '' : `and ${place} <= :before_at and ${place} >= :after_at`}`
}

// The engines have different functions that find a text in another, but the same one to remove it.
const hasMember = (member: string) => `replace(a.caller, ${member}, '') <> a.caller`
