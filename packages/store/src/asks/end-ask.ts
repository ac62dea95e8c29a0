import { type RecordedParams, recorded } from '../audit/recorded.ts'
import { atomic, type Part } from '../engine/statement.ts'

export type EndParams = RecordedParams & {
  tenant: string
  id: string
  state: 'expired' | 'withdrawn'
  reason: string | null
}

export type Ended = { id: string; approval_rule: string; principal: string }

/**
 * Ends an ask without an answer, at most once, by the same lock as an answer: `state = 'open'`.
 *
 * From its deadline on an ask can only expire, and before it only be withdrawn, so the two never compete.
 */
export const endAsk = atomic<EndParams, Ended>('end_ask', ...ending(''))

/** @param also a further condition: SQL that begins with `and`, or empty */
export function ending(also: string): [Part, ...Part[]] {
  return [
    {
      name: 'ended',
      returns: ['tenant', 'id', 'state', 'approval_rule', 'principal', 'log_counter'],
      selects: ['id', 'approval_rule', 'principal'],
      sql: `
      update asks set log_counter = log_counter + 1, state = :state, ended_at = :now, withdrawn_because = cast(:reason as text)
      where tenant = :tenant and id = :id and state = 'open'
        and ((:state = 'expired' and decide_by <= :now) or (:state = 'withdrawn' and decide_by > :now)) ${also}
      returning tenant, id, state, approval_rule, principal, log_counter`,
    },
    {
      name: 'unlisted',
      sql: `
      update ask_approvers set is_open = 0, ended_at = :now from ended c
      where ask_approvers.tenant = c.tenant and ask_approvers.ask_id = c.id`,
    },
    recorded('ended', `case when c.state = 'expired' then 'ask.expired' else 'ask.withdrawn' end`),
  ]
}
