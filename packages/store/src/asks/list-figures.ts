import { type Statement, unhurriedQuery } from '../engine/statement.ts'
import { outcomeColumn } from './outcome-column.ts'

export type FigureRow = {
  id: string
  server: string
  tool: string | null
  electorate: string
  raised_at: number
  ended_at: number
  outcome: string
}

export type FigureParams = { tenant: string; approver: string; since: number }

const byCount = new Map<number, Statement<FigureParams, FigureRow>>()

/**
 * How the asks that one approver name may see have ended, newest first.
 *
 * Who may see them is judged by core from the electorate, as everywhere; so this gives rows and not sums.
 */
export function listFigures(atMost: number): Statement<FigureParams, FigureRow> {
  let statement = byCount.get(atMost)
  if (statement === undefined) {
    statement = unhurriedQuery<FigureParams, FigureRow>(
      `list_figures_${atMost}`,
      `select a.id, a.server, a.tool, a.electorate, a.raised_at, a.ended_at,
         ${outcomeColumn} as outcome
       from (
         select tenant, ask_id, raised_at from ask_approvers
         where tenant = :tenant and approver = :approver and is_open = 0 and raised_at >= cast(:since as bigint)
         order by raised_at desc, ask_id desc
         limit ${atMost}
       ) p join asks a on a.tenant = p.tenant and a.id = p.ask_id
       order by p.raised_at desc, p.ask_id desc`,
    )
    byCount.set(atMost, statement)
  }
  return statement
}
