import { type RecordedParams, recorded } from '../audit/recorded.ts'
import { atomic, type Part, type Statement } from '../engine/statement.ts'
import { announced } from '../outbox/announce-ask.ts'
import { limitCheck, type OpenLimitParams, type RaiseOutcomeRow, raiseOutcome } from './open-limits.ts'

export type RaiseParams = RecordedParams & {
  tenant: string
  id: string
  server: string
  tool: string | null
  principal: string
  call_id: string | null
  kind: string
  question: string
  comment_reaches: string | null
  caller: string | null
  needs_presence: number | null
  approval_rule: string
  approvals_needed: number
  declines_needed: number
  digest: string | null
  decide_within: number
  use_within: number
  signature: string
  waits_at: string | null
  wait_unknown: number | null
  announce: number
}

export type Raised = { raised_at: number }

/**
 * Opens an ask. Further parts list it for each approver and write its audit entry.
 *
 * The deadline counts from the database's clock.
 */
const raised: Part = {
  name: 'raised',
  returns: ['tenant', 'id', 'server', 'kind', 'raised_at', 'decide_by', 'log_counter'],
  selects: ['raised_at'],
  sql: `
    insert into asks (tenant, id, state, server, tool, principal, call_id, kind, question, comment_reaches, caller, needs_presence,
      approval_rule,      approvals_needed, declines_needed, digest, raised_at, decide_by, use_within, signature, waits_at, wait_unknown,
      last_seen_at, log_counter)
    select :tenant, :id, 'open', :server, cast(:tool as text), :principal, cast(:call_id as text), :kind, :question,
      cast(:comment_reaches as text), cast(:caller as text), cast(:needs_presence as integer), :approval_rule, cast(:approvals_needed as integer),
      cast(:declines_needed as integer), cast(:digest as text), :now, :now + cast(:decide_within as bigint),
      cast(:use_within as bigint), :signature, cast(:waits_at as text), cast(:wait_unknown as integer), :now, 1
    where 1 = 1
    returning tenant, id, server, kind, raised_at, decide_by, log_counter`,
}

/** The same, if no limit is reached. */
const raisedWithin: Part = {
  ...raised,
  sql: raised.sql.replace('where 1 = 1', 'where (select limit_reached from limit_check) is null'),
}

/** One row for each of the parameters `approver_aa`, `approver_ab` … */
function listed(approvers: number): Part {
  const names = Array.from({ length: approvers }, (_, index) => `:${approverParam(index)}`)
  return {
    name: 'listed',
    sql: `
      insert into ask_approvers (tenant, ask_id, approver, server, kind, raised_at, decide_by, is_open)
      ${names.map((name) => `select c.tenant, c.id, ${name}, c.server, c.kind, c.raised_at, c.decide_by, 1 from raised c`).join(' union all ')}`,
  }
}

const recording = recorded('raised', `'ask.raised'`)

export const raiseAsk = byApproverCount((approvers): Statement<RaiseParams, Raised> => {
  return atomic(`raise_ask_${approvers}`, raised, listed(approvers), announced, recording)
})

export const raiseAskWithin = byApproverCount(
  (approvers): Statement<RaiseParams & OpenLimitParams, RaiseOutcomeRow> => {
    const parts = [limitCheck, raisedWithin, listed(approvers), announced, recording, raiseOutcome]
    return { name: `raise_ask_within_${approvers}`, parts, result: raiseOutcome.name }
  },
)

function byApproverCount<S>(make: (approvers: number) => S): (approvers: number) => S {
  const made = new Map<number, S>()
  return (approvers) => {
    const statement = made.get(approvers) ?? make(approvers)
    made.set(approvers, statement)
    return statement
  }
}

export function approverParam(index: number): string {
  return `approver_${String.fromCharCode(97 + Math.floor(index / 26), 97 + (index % 26))}`
}
