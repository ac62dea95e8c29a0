// Compares the audit log with the contests: one raise, the votes and one ending each, in logs that verify.

import { LogVerifier, type TreeState } from '../../packages/core/src/index.ts'
import type { Ending, Kept, TenantTables } from './tables.ts'

export function recordFaults({ ask, votes, entries }: Kept, ending: Ending): string[] {
  const faults: string[] = []
  const of = (kind: string) => entries.filter((entry) => entry.kind === kind)
  const ends = entries.filter(({ kind }) => /^ask\.(settled|expired|withdrawn)$/.test(kind))
  const [end] = ends
  const decidingVotes = votes.filter((vote) => vote.decision_id === ask.decision_id)
  const open = votes.length - decidingVotes.length

  if (of('ask.raised').length !== 1) faults.push(`the record has it raised ${of('ask.raised').length} times`)
  if (of('ask.voted').length !== open)
    faults.push(`${open} votes did not decide, but ${of('ask.voted').length} are recorded`)
  if (ends.length !== 1 || end === undefined) return [...faults, `the record has ${ends.length} endings`]
  if (end.kind !== `ask.${ending.kind}` || end.atMs !== ask.ended_at) faults.push('the record has another ending')
  if (ending.kind === 'settled') {
    const { by, decisionId, answer } = JSON.parse(end.body)
    const isIts = by === ending.by && decisionId === ending.decisionId && answer.action === ending.answer.action
    if (!isIts) faults.push('the record has another winner')
  }
  if (entries[0]?.kind !== 'ask.raised' || entries.at(-1) !== end) faults.push('the record has it in another order')
  return faults
}

/** Describes what is wrong with a tenant's log; undefined if nothing is. Its earlier ends were read during the race. */
export function logProblem(
  tenant: string,
  { entries, outside }: TenantTables,
  heads: readonly TreeState[],
): string | undefined {
  if (outside > 0) return `${outside} entries are not in the log.`
  const verifier = new LogVerifier(tenant, heads)
  for (const entry of entries) verifier.add(entry)
  const verdict = verifier.verdict()
  if (!verdict.ok) return verdict.problem
  const counters = new Map<string, number>()
  for (const { subject, counter, seq } of entries) {
    if (counter === 0) continue
    if (counter !== (counters.get(subject) ?? 0) + 1) return `Entry ${seq} is out of order.`
    counters.set(subject, counter)
  }
  const last = Math.max(...heads.map(({ size }) => size))
  return last === verdict.lastSeq ? undefined : `The last checkpoint is not of the last entry, ${verdict.lastSeq}.`
}
