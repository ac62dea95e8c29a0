import type { Statement } from '../engine/statement.ts'
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
  decided_by: string | null
  caller: string | null
  /** The names of the policies that asked, as JSON. */
  policies: string | null
}

export type EndedAskParams = { tenant: string; approver: string; since: number }

const isOfPolicies = `a.kind = 'approval' and a.question like '%"policies":%'`
// PostgreSQL cannot read a member of JSON that has a NUL or half of a surrogate pair anywhere: such an ask has no policies here.
const isReadable = String.raw`strpos(a.question, '\u0000') = 0 and strpos(a.question, '\ud') = 0`

const byCount = new Map<number, Statement<EndedAskParams, EndedAskRow>>()

/**
 * How the asks that one approver name may see have ended, newest first.
 *
 * Core decides from the approval rule who may see an ask, so this returns rows and not sums.
 */
export function listEndedAsks(atMost: number): Statement<EndedAskParams, EndedAskRow> {
  let statement = byCount.get(atMost)
  if (statement === undefined) {
    const select = (policies: string, condition: string) => `
      select a.id, a.server, a.tool, a.approval_rule, a.principal, a.raised_at, a.ended_at, a.decided_by, a.caller,
        ${outcomeColumn} as outcome, case when ${condition} then ${policies} end as policies
      from (
        select tenant, ask_id, raised_at from ask_approvers
        where tenant = :tenant and approver = :approver and is_open = 0 and raised_at >= cast(:since as bigint)
        order by raised_at desc, ask_id desc
        limit ${atMost}
      ) p join asks a on a.tenant = p.tenant and a.id = p.ask_id
      order by p.raised_at desc, p.ask_id desc`
    const sql = select(`cast(a.question as json) ->> 'policies'`, `${isOfPolicies} and ${isReadable}`)
    const sqlite = select(`a.question ->> '$.policies'`, isOfPolicies)
    statement = {
      name: `list_ended_${atMost}`,
      parts: [{ name: 'only', sql, sqlite }],
      result: 'only',
      isBackground: true,
    }
    byCount.set(atMost, statement)
  }
  return statement
}
