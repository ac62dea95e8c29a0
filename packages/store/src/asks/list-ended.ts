import { backgroundQuery, type Statement } from '../engine/statement.ts'
import { outcomeColumn } from './outcome-column.ts'

export type EndedAskRow = {
  id: string
  server: string
  tool: string | null
  approval_rule: string
  principal: string
  raised_at: number
  ended_at: number
  outcome: string
}

export type EndedAskParams = { tenant: string; approver: string; since: number }

const byCount = new Map<number, Statement<EndedAskParams, EndedAskRow>>()

/**
 * How the asks that one approver name may see have ended, newest first.
 *
 * Core decides from the approval rule who may see an ask, so this returns rows and not sums.
 */
export function listEndedAsks(atMost: number): Statement<EndedAskParams, EndedAskRow> {
  let statement = byCount.get(atMost)
  if (statement === undefined) {
    statement = backgroundQuery<EndedAskParams, EndedAskRow>(
      `list_ended_${atMost}`,
      `select a.id, a.server, a.tool, a.approval_rule, a.principal, a.raised_at, a.ended_at,
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
