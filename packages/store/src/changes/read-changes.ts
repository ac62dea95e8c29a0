import type { Statement } from '../engine/statement.ts'

export type ChangeRow = {
  seq: number
  kind: string
  subject: string
  approval_rule: string | null
  principal: string | null
}

export type ChangeParams = { tenant: string; after_seq: number; approvers: string }

const byCount = new Map<number, Statement<ChangeParams, ChangeRow>>()

/**
 * The next entries of one tenant, in commit order, with the approval rule of the ask if one of these approvers may see it.
 *
 * Only the audit chain guarantees that no entry appears before one that was read already: its numbers are assigned under the
 * lock that the deciding transaction holds until its commit. The other entries are returned too, because the reader continues
 * after the last one; no ask is read for them.
 *
 * @param atMost part of the SQL text: with a parameter the planner would have to guess the number of rows
 */
export function readChanges(atMost: number): Statement<ChangeParams, ChangeRow> {
  let statement = byCount.get(atMost)
  if (statement === undefined) {
    const only = (approvers: string) => `
      select e.seq, e.kind, e.subject, a.approval_rule, a.principal
      from (
        select tenant, seq, kind, subject from audit_entries
        where tenant = :tenant and seq > cast(:after_seq as bigint)
        order by seq limit ${atMost}
      ) e left join asks a on a.tenant = e.tenant and a.id = e.subject and e.kind <> 'note' and exists (
        select 1 from ask_approvers w
        where w.tenant = e.tenant and w.ask_id = e.subject and w.approver in (${approvers}))
      order by e.seq`
    const sql = only('select jsonb_array_elements_text(cast(:approvers as jsonb))')
    const part = { name: 'only', sql, sqlite: only('select value from json_each(:approvers)') }
    statement = { name: `read_changes_${atMost}`, parts: [part], result: 'only' }
    byCount.set(atMost, statement)
  }
  return statement
}
