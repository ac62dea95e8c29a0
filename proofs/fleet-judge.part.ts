// The judge of a fleet that is put to the proof: holds what the supervisor saw against what the database kept. It knows nothing of gateways.

import type { AskRow, CallRecord, Evidence, InboxAnswer, Kept } from './fleet-evidence.part.ts'
import { messageOf, ranText } from './fleet-servers.part.ts'

export type Invariant =
  | 'no effect without a kept, matching yes'
  | 'one decision per ask'
  | 'at most one run per yes'
  | 'acknowledged decisions survive'
  | 'only the entitled decide'
  | 'every move is in the audit'
  | 'callers hear the truth'
  | 'nobody waits in vain'

export interface Fault {
  readonly invariant: Invariant
  readonly what: string
}

/** The clock of the database and of the supervisor are one machine's; a millisecond is rounding. */
const roundingMs = 2

export function judge(evidence: Evidence, kept: Kept): Fault[] {
  const faults: Fault[] = []
  const blame = (invariant: Invariant, what: string) => faults.push({ invariant, what })
  const byMessage = groupBy(kept.asks, ({ message }) => message)
  const asksOf = (ticket: string) => byMessage.get(messageOf(ticket)) ?? []

  const runs = groupBy(evidence.effects, ({ ticket }) => ticket)
  for (const [ticket, effects] of runs) {
    const call = evidence.calls.get(ticket)
    if (effects.length > 1) blame('at most one run per yes', `${ticket} ran ${effects.length} times`)
    const atMs = effects[0]?.atMs ?? 0
    if (call === undefined || !isApproved(call, atMs, evidence, asksOf(ticket)))
      blame('no effect without a kept, matching yes', `${ticket} ran (${kindOf(call)})`)
  }

  const entries = groupBy(kept.audit, ({ subject }) => subject)
  const acknowledged = groupBy(evidence.inboxAnswers.filter(isAcknowledged), ({ askId }) => askId)
  for (const ask of kept.asks) {
    const kinds = (entries.get(ask.id) ?? []).map(({ kind }) => kind)
    // An answer that could not be delivered has a second entry, which decides nothing.
    const ends = kinds.filter((kind) => kind !== 'ask.raised' && kind !== 'ask.undelivered')
    if (ends.length > 1) blame('one decision per ask', `${ask.id} ended as ${ends.join(', ')}`)
    if (!kinds.includes('ask.raised')) blame('every move is in the audit', `${ask.id} was never raised`)
    if (ask.state !== 'open' && ends[0] !== `ask.${ask.state}`)
      blame('every move is in the audit', `${ask.id} is ${ask.state}, on record as ${ends[0]}`)
    if (ask.state === 'settled' && ask.decidedBy !== ask.principal)
      blame('only the entitled decide', `${ask.id} of ${ask.principal} was decided by ${ask.decidedBy}`)
    const decisions = new Set((acknowledged.get(ask.id) ?? []).map(({ decisionId }) => decisionId))
    if (decisions.size > 1) blame('one decision per ask', `${decisions.size} decisions of ${ask.id} were acknowledged`)
  }

  const rows = new Map(kept.asks.map((ask) => [ask.id, ask]))
  for (const { askId, decisionId, by, action, status, isStranger } of evidence.inboxAnswers) {
    if (status === 'none') blame('nobody waits in vain', `${by} could not answer ${askId}`)
    else if (isStranger && status !== 404) blame('only the entitled decide', `${by} got ${status} for ${askId}`)
    if (status !== 200) continue
    const row = rows.get(askId)
    const isKept =
      row?.state === 'settled' && row.decisionId === decisionId && row.action === action && row.decidedBy === by
    if (!isKept)
      blame('acknowledged decisions survive', `${askId}: ${action} by ${by} was acknowledged, and is not kept`)
  }

  for (const call of evidence.calls.values()) {
    const { ticket, end } = call
    const hasRun = runs.has(ticket)
    if (end === undefined || end.kind === 'silence')
      blame('nobody waits in vain', `${ticket} heard nothing (${kindOf(call)}; ${end?.last ?? 'it is still waiting'})`)
    if (end?.kind === 'result' && (end.text === ranText(ticket)) !== hasRun)
      blame('callers hear the truth', `${ticket} heard "${end.text}", and it ${hasRun ? 'ran' : 'did not run'}`)
  }
  if (kept.chainProblem !== undefined) blame('every move is in the audit', kept.chainProblem)
  if (kept.running > 0) blame('nobody waits in vain', `${kept.running} calls are held by nobody`)
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
  // What only passes through to the caller's own client is the client's decision, and is not kept as an ask.
  const passesThrough = call.asked === 'client' && (call.client === '2025-11-25' || call.server !== 'old')
  if (!passesThrough) return false
  return evidence.clientAnswers.some((one) => one.ticket === call.ticket && one.action === 'accept' && one.atMs <= atMs)
}

function isAcknowledged({ status }: Pick<InboxAnswer, 'status'>): boolean {
  return status === 200
}

function kindOf(call: CallRecord | undefined): string {
  return call === undefined
    ? 'nobody called it'
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
