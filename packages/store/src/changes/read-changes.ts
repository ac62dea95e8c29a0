import type { Part, Row, Statement } from '../engine/statement.ts'
import { entriesSince, type SinceParams, type SinceRow } from '../log/position.ts'

export type ChangeRow = SinceRow & {
  kind: string
  subject: string
  approval_rule: string | null
  principal: string | null
}

export type ChangeParams = SinceParams & { approvers: string }

const byCount = new Map<number, Statement<ChangeParams, ChangeRow>>()

/**
 * The entries of one tenant since a position, with the approval rule of the ask if one of these approvers may see it.
 *
 * The other entries are returned too, because they count for the position; no ask is read for them.
 *
 * @param atMost part of the SQL text: with a parameter the planner would have to guess the number of rows
 */
export function readChanges(atMost: number): Statement<ChangeParams, ChangeRow> {
  let statement = byCount.get(atMost)
  if (statement === undefined) {
    const [part] = entriesSince<Row>('read_changes', atMost, ['kind', 'subject']).parts as [Part]
    const only = (since: string, approvers: string) => `
      select n.snapshot, n.is_standby, n.id, n.kind, n.subject, a.approval_rule, a.principal
      from (${since}) n left join asks a on a.tenant = :tenant and a.id = n.subject and n.kind <> 'note' and exists (
        select 1 from ask_approvers w
        where w.tenant = a.tenant and w.ask_id = n.subject and w.approver in (${approvers}))
      order by n.id`
    const sql = only(part.sql, 'select jsonb_array_elements_text(cast(:approvers as jsonb))')
    const sqlite = only(part.sqlite ?? part.sql, 'select value from json_each(:approvers)')
    statement = { name: `read_changes_${atMost}`, parts: [{ name: 'only', sql, sqlite }], result: 'only' }
    byCount.set(atMost, statement)
  }
  return statement
}
