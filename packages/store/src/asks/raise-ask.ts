import { isRecordable, type RecordedParams, recorded } from '../audit/recorded.ts'
import { type Part, type Statement, together } from '../engine/statement.ts'
import { type RoomParams, room, type Told, told } from './room.ts'

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
  electorate: string
  approvals_needed: number
  declines_needed: number
  digest: string | null
  decide_within: number
  use_within: number
  signature: string
  waits_at: string | null
  wait_unknown: number | null
}

export type Raised = { raised_at: number }

/**
 * Opens an ask, lists it for each approver and records it.
 *
 * The deadline is counted from the database's clock. Returns nothing when the tenant has no audit chain yet: the caller
 * begins one and comes again.
 */
const raised: Part = {
  name: 'raised',
  returns: ['tenant', 'id', 'server', 'kind', 'raised_at', 'decide_by'],
  tells: ['raised_at'],
  sql: `
    insert into asks (tenant, id, state, server, tool, principal, call_id, kind, question, comment_reaches, electorate,
      approvals_needed, declines_needed, digest, raised_at, decide_by, use_within, signature, waits_at, wait_unknown,
      last_seen_at)
    select :tenant, :id, 'open', :server, cast(:tool as text), :principal, cast(:call_id as text), :kind, :question,
      cast(:comment_reaches as text), :electorate, cast(:approvals_needed as integer),
      cast(:declines_needed as integer), cast(:digest as text), :now, :now + cast(:decide_within as bigint),
      cast(:use_within as bigint), :signature, cast(:waits_at as text), cast(:wait_unknown as integer), :now
    where ${isRecordable}
    returning tenant, id, server, kind, raised_at, decide_by`,
}

/** The same while there is room for it. */
const raisedWithin: Part = {
  ...raised,
  sql: raised.sql.replace(isRecordable, `${isRecordable} and (select no_room from room) is null`),
}

/** One row for each of `approver_a`, `approver_b` … */
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
  return together(`raise_ask_${approvers}`, raised, listed(approvers), ...recording)
})

export const raiseAskWithin = byApproverCount((approvers): Statement<RaiseParams & RoomParams, Told> => {
  const parts = [room, raisedWithin, listed(approvers), ...recording, told]
  return { name: `raise_ask_within_${approvers}`, parts, result: told.name }
})

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
