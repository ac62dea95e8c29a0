// Compares the evidence of a cluster proof with the contents of the database. It does not depend on gateway code.

import type { AskRow, CallRecord, Evidence, InboxAnswer, StoredState } from './evidence.ts'
import { messageOf, ranText } from './servers.ts'

export type Invariant =
  | 'no effect without a stored, matching approval'
  | 'one decision per ask'
  | 'at most one run per approval'
  | 'acknowledged decisions survive'
  | 'only approvers decide'
  | 'every transition is in the audit log'
  | 'callers get the true outcome'
  | 'every caller gets an answer'

export interface Fault {
  readonly invariant: Invariant
  readonly what: string
}

/** Database and supervisor share the clock of one machine; a millisecond is rounding. */
const roundingMs = 2

export function judge(evidence: Evidence, kept: StoredState): Fault[] {
  const faults: Fault[] = []
  const blame = (invariant: Invariant, what: string) => faults.push({ invariant, what })
  const byMessage = groupBy(kept.asks, ({ message }) => message)
  const asksOf = (ticket: string) => byMessage.get(messageOf(ticket)) ?? []

  const runs = groupBy(evidence.effects, ({ ticket }) => ticket)
  for (const [ticket, effects] of runs) {
    const call = evidence.calls.get(ticket)
    if (effects.length > 1) blame('at most one run per approval', `${ticket} ran ${effects.length} times`)
    const atMs = effects[0]?.atMs ?? 0
    if (call === undefined || !isApproved(call, atMs, evidence, asksOf(ticket)))
      blame('no effect without a stored, matching approval', `${ticket} ran (${kindOf(call)})`)
  }

  const entries = groupBy(kept.audit, ({ subject }) => subject)
  const acknowledged = groupBy(evidence.inboxAnswers.filter(isAcknowledged), ({ askId }) => askId)
  for (const ask of kept.asks) {
    const kinds = (entries.get(ask.id) ?? []).map(({ kind }) => kind)
    // An answer that could not be delivered has a second entry, which is not a decision.
    const ends = kinds.filter((kind) => kind !== 'ask.raised' && kind !== 'ask.undelivered')
    if (ends.length > 1) blame('one decision per ask', `${ask.id} ended as ${ends.join(', ')}`)
    if (!kinds.includes('ask.raised')) blame('every transition is in the audit log', `${ask.id} was never raised`)
    if (ask.state !== 'open' && ends[0] !== `ask.${ask.state}`)
      blame('every transition is in the audit log', `${ask.id} is ${ask.state}, but its audit entry is ${ends[0]}`)
    if (ask.state === 'settled' && ask.decidedBy !== ask.principal)
      blame('only approvers decide', `${ask.id} of ${ask.principal} was decided by ${ask.decidedBy}`)
    const decisions = new Set((acknowledged.get(ask.id) ?? []).map(({ decisionId }) => decisionId))
    if (decisions.size > 1) blame('one decision per ask', `${decisions.size} decisions of ${ask.id} were acknowledged`)
  }

  const rows = new Map(kept.asks.map((ask) => [ask.id, ask]))
  for (const { askId, decisionId, by, action, status, isStranger } of evidence.inboxAnswers) {
    if (status === 'none') blame('every caller gets an answer', `${by} could not answer ${askId}`)
    else if (isStranger && status !== 404) blame('only approvers decide', `${by} got ${status} for ${askId}`)
    if (status !== 200) continue
    const row = rows.get(askId)
    const isKept =
      row?.state === 'settled' && row.decisionId === decisionId && row.action === action && row.decidedBy === by
    if (!isKept)
      blame('acknowledged decisions survive', `${askId}: ${action} by ${by} was acknowledged, but is not stored`)
  }

  for (const call of evidence.calls.values()) {
    const { ticket, end } = call
    const hasRun = runs.has(ticket)
    if (end === undefined || end.kind === 'timeout')
      blame(
        'every caller gets an answer',
        `${ticket} got no answer (${kindOf(call)}; ${end?.last ?? 'it is still waiting'})`,
      )
    if (end?.kind === 'result' && (end.text === ranText(ticket)) !== hasRun)
      blame('callers get the true outcome', `${ticket} got "${end.text}", but it ${hasRun ? 'ran' : 'did not run'}`)
  }
  if (kept.chainProblem !== undefined) blame('every transition is in the audit log', kept.chainProblem)
  for (const one of kept.running) blame('every caller gets an answer', `still marked as running: ${one}`)
  return faults
}

function isApproved(call: CallRecord, atMs: number, evidence: Evidence, asks: readonly AskRow[]): boolean {
  const isKeptYes = (ask: AskRow) =>
    ask.state === 'settled' &&
    ask.action === 'accept' &&
    ask.principal === call.principal &&
    ask.decidedBy === call.principal &&
    (ask.endedAtMs ?? Number.POSITIVE_INFINITY) <= atMs + roundingMs
  if (asks.some(isKeptYes)) return true
  // A question that is only forwarded to the client is not stored as an ask; the client's answer decides.
  const passesThrough = call.asked === 'client' && (call.client === '2025-11-25' || call.server !== 'old')
  if (!passesThrough) return false
  return evidence.clientAnswers.some((one) => one.ticket === call.ticket && one.action === 'accept' && one.atMs <= atMs)
}

function isAcknowledged({ status }: Pick<InboxAnswer, 'status'>): boolean {
  return status === 200
}

function kindOf(call: CallRecord | undefined): string {
  return call === undefined
    ? 'unknown call'
    : `${call.client} client, ${call.server} server, asked in the ${call.asked}`
}

function groupBy<T>(list: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const group = groups.get(keyOf(one))
    if (group === undefined) groups.set(keyOf(one), [one])
    else group.push(one)
  }
  return groups
}
