// Converts the row of an ask to core's `Ask`.

import {
  type ApprovalRule,
  type Ask,
  type AskCaller,
  type AskState,
  AssentError,
  type Assertion,
  askLimits,
  type CastVote,
  type FastAnswer,
  isAssertion,
  type Question,
  readJson,
  type Surface,
  type WithdrawReason,
} from '@assent/core'
import type { VoteRow } from './read-votes.ts'
import type { AskIdentity, StoredAnswers } from './stored-answer.ts'

export type AskRow = {
  tenant: string
  id: string
  state: 'open' | 'settled' | 'expired' | 'withdrawn'
  server: string
  tool: string | null
  principal: string
  call_id: string | null
  question: string
  comment_reaches: string | null
  caller: string | null
  needs_presence: number | null
  presence: string | null
  fast_action: string | null
  fast_after: number | null
  approval_rule: string
  raised_at: number
  decide_by: number
  use_within: number
  ended_at: number | null
  answer: string | null
  decided_by: string | null
  decided_via: string | null
  decided_groups: string | null
  decision_id: string | null
  withdrawn_because: string | null
  secret_until: number | null
  signature: string | null
  decision_signature: string | null
  wait_unknown: number | null
  last_seen_at: number | null
  undelivered_at: number | null
  /** The database's time of the read. */
  now: number
}

/** The columns of a row `a`. */
export const askColumns = `a.tenant, a.id, a.state, a.server, a.tool, a.principal, a.call_id, a.question, a.comment_reaches, a.caller, a.needs_presence, a.presence, a.fast_action, a.fast_after, a.approval_rule,
  a.raised_at, a.decide_by, a.use_within, a.ended_at, a.answer, a.decided_by, a.decided_via, a.decided_groups, a.decision_id,
  a.withdrawn_because, a.wait_unknown, a.last_seen_at, a.undelivered_at, a.secret_until, a.signature, a.decision_signature,
  :now as now`

/** Without its votes, which are in their own table, and not verified. Throws if the row is corrupted. */
export function askFromRow(row: AskRow, answers: StoredAnswers): Ask {
  try {
    return readRow(row, answers)
  } catch (cause) {
    throw new AssentError('store_unavailable', 'The stored row of an ask cannot be read.', { cause })
  }
}

function readRow(row: AskRow, answers: StoredAnswers): Ask {
  return {
    tenant: row.tenant,
    id: row.id,
    asker: row.tool === null ? { server: row.server } : { server: row.server, tool: row.tool },
    ...(row.caller === null ? {} : { caller: readCaller(row.caller) }),
    principal: row.principal,
    ...(row.call_id === null ? {} : { callId: row.call_id }),
    question: parsed<Question>(row.question),
    ...(row.comment_reaches === 'asker' ? { commentReaches: 'asker' } : {}),
    ...(row.fast_action === null || row.fast_after === null
      ? {}
      : { fastAnswer: { action: row.fast_action as FastAnswer['action'], afterMs: row.fast_after } }),
    approvalRule: readApprovalRule(row.approval_rule),
    ...(row.needs_presence === 1 ? { needsPresence: true } : {}),
    ...(row.wait_unknown === 1 ? { isWaitUnknown: true } : {}),
    ...(row.last_seen_at === null ? {} : { lastSeenAtMs: row.last_seen_at }),
    raisedAtMs: row.raised_at,
    decideByMs: row.decide_by,
    useWithinMs: row.use_within,
    votes: [],
    state: stateFromRow(row, answers),
  }
}

/** With its votes, not verified. */
export function askWithVotes(row: AskRow, voteRows: readonly VoteRow[], answers: StoredAnswers): Ask {
  return { ...askFromRow(row, answers), votes: voteRows.map((vote) => voteFromRow(vote, row, answers)) }
}

function voteFromRow(row: VoteRow, ask: AskIdentity, answers: StoredAnswers): CastVote {
  return {
    ...answers.read(ask, row.answer),
    by: row.voter,
    via: row.via as Surface,
    decisionId: row.decision_id,
    ...groupsIn(row.voter_groups),
    ...presenceIn(row.presence),
    atMs: row.voted_at,
  }
}

function groupsIn(text: string | null): { readonly groups?: readonly string[] } {
  if (text === null) return {}
  const groups = parsed<unknown>(text)
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string')) {
    throw new Error('The stored groups of a voter are not a list of names.')
  }
  return { groups }
}

function presenceIn(text: string | null): { readonly presence?: Assertion } {
  if (text === null) return {}
  const presence = parsed<unknown>(text)
  if (!isAssertion(presence)) throw new Error('The stored signature of a passkey is not complete.')
  return { presence }
}

export function readCaller(text: string): AskCaller {
  return parsed<AskCaller>(text)
}

export function readApprovalRule(text: string): ApprovalRule {
  return parsed<ApprovalRule>(text)
}

function stateFromRow(row: AskRow, answers: StoredAnswers): AskState {
  switch (row.state) {
    case 'open':
      // The deadline is checked at each read, so no timer has to mark the row.
      return row.now < row.decide_by ? { kind: 'open' } : { kind: 'expired', atMs: row.decide_by }
    case 'expired':
      return { kind: 'expired', atMs: row.decide_by }
    case 'withdrawn':
      return {
        kind: 'withdrawn',
        reason: present(row.withdrawn_because, row) as WithdrawReason,
        atMs: present(row.ended_at, row),
      }
    case 'settled':
      return {
        kind: 'settled',
        ...answers.read(row, present(row.answer, row)),
        by: present(row.decided_by, row),
        via: present(row.decided_via, row) as Surface,
        ...groupsIn(row.decided_groups),
        atMs: present(row.ended_at, row),
        decisionId: present(row.decision_id, row),
        ...presenceIn(row.presence),
        ...(row.undelivered_at === null ? {} : { undeliveredAtMs: row.undelivered_at }),
      }
    default:
      throw new Error(`Ask ${row.id} has an unknown state.`)
  }
}

// Not JSON.parse, which can be made to misread names; see core's digest/parse.ts.
function parsed<T>(text: string): T {
  return readJson(text, { depth: 2 * askLimits.actionDepth, halfPairs: 'keep', numbers: 'exact' }) as T
}

function present<T>(value: T | null, row: AskRow): T {
  if (value === null)
    throw new Error(`Ask ${row.id} is ${row.state} but its row lacks a column that this state requires.`)
  return value
}
