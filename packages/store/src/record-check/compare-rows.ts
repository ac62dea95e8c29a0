// Compares one stored ask, its votes and its grant with their entries in the audit log. Pure: rows in, problems out.
//
// The log and the rows are written in the same statement, so any difference means that one of the two was changed
// outside Assent.

import { type Answer, type Ask, answerDigests, canonicalJson, isPlainObject, needsSeveral } from '@assent/core'
import type { AskRow } from '../asks/ask-row.ts'
import { raisedBody } from '../asks/audit-body.ts'
import type { VoteRow } from '../asks/read-votes.ts'
import type { EntryRow } from '../audit/read-entries-of.ts'

/** The columns of an ask, and further ones that the deciding statement uses. */
export type ComparedRow = AskRow & {
  kind: string
  digest: string | null
  approvals_needed: number
  declines_needed: number
  accepts: number
  declines: number
  person_answer: string | null
  log_counter: number
  erased_at: number | null
}

export type ComparedGrant = {
  id: string
  ask_id: string
  digest: string
  principal: string
  granted_at: number
  expires_at: number
  used_at: number | null
  used_by: string | null
  signature: string | null
  log_counter: number
}

export interface StoredAsk {
  readonly row: ComparedRow
  /** As stored in the row, not verified. */
  readonly ask: Ask
  readonly votes: readonly VoteRow[]
  readonly grants: readonly ComparedGrant[]
}

type Entry = Pick<EntryRow, 'kind' | 'at' | 'body' | 'counter' | 'place'>

export const endingKinds = ['ask.settled', 'ask.expired', 'ask.withdrawn']

/** The first difference between an ask and its entries, as text; undefined if there is none. */
export function askDifference(stored: StoredAsk, entries: readonly Entry[]): string | undefined {
  const raised = entries.filter(({ kind }) => kind === 'ask.raised')
  const [first] = raised
  if (first === undefined) return 'the audit log has no entry that it was raised'
  if (raised.length > 1) return 'it was raised twice according to the audit log'
  const ends = entries.filter(({ kind }) => endingKinds.includes(kind))
  if (ends.length > 1) return 'it ended twice according to the audit log'
  return (
    termsDifference(stored, first) ??
    endDifference(stored, ends[0]) ??
    votesDifference(stored, entries) ??
    columnsDifference(stored) ??
    grantOfAskDifference(stored) ??
    counterDifference(entries, stored.row.log_counter)
  )
}

/** The entries about a row are numbered from 1, in the order of the log, and the row has the number of the last one. */
export function counterDifference(
  entries: readonly Pick<EntryRow, 'counter' | 'place'>[],
  counter: number,
): string | undefined {
  const counted = entries.filter((entry) => entry.counter > 0)
  if (counted.some((entry, at) => entry.counter !== at + 1))
    return 'an entry about it is missing in the audit log, repeated or out of order'
  const places = counted.map(({ place }) => place ?? Number.POSITIVE_INFINITY)
  if (places.some((place, at) => place < (places[at - 1] ?? 0))) return 'its entries are out of order in the audit log'
  return counted.length === counter ? undefined : `it has ${counter} entries, and the audit log has ${counted.length}`
}

function termsDifference({ row, ask }: StoredAsk, entry: Entry): string | undefined {
  const logged = bodyOf(entry)
  const { raisedAtMs, decideByMs } = ask
  const expected = raisedBody({ ...ask, decideWithinMs: decideByMs - raisedAtMs }, 'digest') as Record<string, unknown>
  if (logged.needsPresence !== expected.needsPresence) return 'the audit log says otherwise whether it needs a passkey'
  const wrong = Object.keys(expected).find((name) => !isSame(logged[name], expected[name]))
  if (wrong !== undefined) return `the audit log has another ${wordFor[wrong] ?? wrong}`
  return entry.at === row.raised_at ? undefined : 'the audit log has another time at which it was raised'
}

const wordFor: Readonly<Record<string, string>> = {
  asker: 'server or tool',
  questionDigest: 'question',
  actionDigest: 'action',
  policySetDigest: 'set of policies',
  approvalRule: 'approval rule',
  decideWithinMs: 'deadline',
  useWithinMs: 'time to use it',
}

function columnsDifference({ row, ask, votes }: StoredAsk): string | undefined {
  const { approvalRule, question, state } = ask
  if (row.approvals_needed !== approvalRule.approvals || row.declines_needed !== approvalRule.declines) {
    return 'its columns need another number of votes than its approval rule'
  }
  if (row.kind !== question.kind) return 'its column names another kind of question'
  if (row.digest !== (question.kind === 'approval' ? question.digest : null)) return 'its column has another digest'
  const decided = state.kind === 'settled' ? [state] : []
  const counted = needsSeveral(approvalRule) ? ask.votes : decided
  const count = (action: Answer['action']) => counted.filter(({ answer }) => answer.action === action).length
  if (row.accepts !== count('accept') || row.declines !== count('decline')) return 'its counters do not match its votes'
  return votes.length > 0 && !needsSeveral(approvalRule) ? 'it has votes that it does not need' : undefined
}

function endDifference({ row, ask }: StoredAsk, end: Entry | undefined): string | undefined {
  const { state } = ask
  if (row.state === 'open') {
    return end === undefined ? undefined : `it is open, but ${end.kind.slice('ask.'.length)} according to the audit log`
  }
  if (end === undefined) return `it is ${row.state}, and the audit log has no entry of its end`
  if (end.kind !== `ask.${row.state}`)
    return `it is ${row.state}, but ${end.kind.slice('ask.'.length)} according to the audit log`
  if (end.at !== row.ended_at) return 'the audit log has another time of its end'
  const logged = bodyOf(end)
  if (state.kind === 'withdrawn') {
    return logged.reason === state.reason ? undefined : 'the audit log has another reason for its withdrawal'
  }
  if (state.kind !== 'settled') return undefined
  if (logged.answered !== row.person_answer) return 'its column names another answer than the audit log'
  return voteDifference(state, logged)
}

function votesDifference({ ask, votes }: StoredAsk, entries: readonly Entry[]): string | undefined {
  if (!needsSeveral(ask.approvalRule)) return undefined
  const logged = entries.filter(({ kind }) => kind === 'ask.voted' || kind === 'ask.settled')
  if (logged.length !== votes.length) return `it has ${votes.length} votes, and the audit log has ${logged.length}`
  for (const [index, vote] of ask.votes.entries()) {
    const entry = logged[index]
    if (entry === undefined || entry.at !== vote.atMs) return 'the audit log has another time of a vote'
    const difference = voteDifference(vote, bodyOf(entry))
    if (difference !== undefined) return difference
  }
  return undefined
}

function voteDifference(vote: Ask['votes'][number], logged: Readonly<Record<string, unknown>>): string | undefined {
  if (logged.by !== vote.by)
    return `it was decided by ${vote.by}, but by ${String(logged.by)} according to the audit log`
  if (logged.via !== vote.via) return 'the audit log has another surface'
  if (canonicalJson(logged.groups ?? []) !== canonicalJson(vote.groups ?? []))
    return 'the audit log has other groups of a voter'
  if (logged.decisionId !== vote.decisionId) return 'the audit log has another decision id'
  if (canonicalJson(logged.presence ?? null) !== canonicalJson(vote.presence ?? null))
    return 'the audit log has another signature of a passkey'
  const digests = vote.deleted ?? answerDigests(vote.answer)
  return isSame(digestsOf(logged.answer), digests) ? undefined : 'the audit log has another answer'
}

/** Entries contain the digests of an answer, or the answer itself if the operator keeps contents. */
function digestsOf(logged: unknown): unknown {
  if (!isPlainObject(logged) || (logged.content === undefined && logged.comment === undefined)) return logged
  return answerDigests(logged as Answer)
}

/** The approval of an action gives exactly one grant; anything else gives none. */
function grantOfAskDifference({ row, ask, grants }: StoredAsk): string | undefined {
  const { state, question, principal, useWithinMs } = ask
  const isYes = state.kind === 'settled' && state.answer.action === 'accept' && question.kind === 'approval'
  if (!isYes) return grants.length === 0 ? undefined : 'it has a grant, and nothing was approved'
  const [grant] = grants
  if (grant === undefined || grants.length > 1) return `it was approved, and has ${grants.length} grants`
  if (grant.digest !== question.digest) return 'its grant is for another action'
  if (grant.principal !== principal) return 'its grant is for another principal'
  if (grant.granted_at !== row.ended_at) return 'its grant was given at another time'
  return grant.expires_at === grant.granted_at + useWithinMs ? undefined : 'its grant expires at another time'
}

/** The difference between the use of a grant and its entry. */
export function grantDifference(grant: ComparedGrant, entries: readonly Entry[]): string | undefined {
  const [used, ...more] = entries
  if (more.length > 0) return 'it was used twice according to the audit log'
  if (grant.used_at === null && used !== undefined) return 'it is unused, but used according to the audit log'
  if (grant.used_at === null) return counterDifference(entries, grant.log_counter)
  if (used === undefined) return 'it is used, and the audit log has no entry of it'
  if (used.at !== grant.used_at) return 'the audit log has another time of its use'
  if (used.body === null) return 'the text about its use was erased in the audit log, and its row was not'
  const { digest, principal, usedBy } = bodyOf(used)
  const isSameUse = digest === grant.digest && principal === grant.principal && usedBy === grant.used_by
  return isSameUse ? counterDifference(entries, grant.log_counter) : 'the audit log has another use of it'
}

function bodyOf({ body }: Entry): Readonly<Record<string, unknown>> {
  if (body === null) throw new Error('The text of an entry is missing.')
  const read: unknown = JSON.parse(body)
  return isPlainObject(read) ? read : {}
}

function isSame(logged: unknown, expected: unknown): boolean {
  return logged !== undefined && canonicalJson(logged) === canonicalJson(expected)
}
