// Checks one contest: compares all replies with each other and with the tables.
//
// It does not depend on the store's code. Each broken rule becomes a sentence; the two main rules, one outcome and the same
// reply for all, are counted separately.

import { isDeepStrictEqual } from 'node:util'
import type { Ask, AskState } from '../../packages/core/src/index.ts'
import { clockMs, type Reply } from './attempt.ts'
import type { Attempt, Contest } from './plan.ts'
import { recordFaults } from './record.ts'
import type { Ending, Kept } from './tables.ts'

export interface Fault {
  readonly rule: 'two outcomes' | 'different replies' | 'miscounted' | 'misrecorded'
  readonly text: string
}

export interface Raced extends Contest {
  readonly replies: readonly Reply[]
  /** The state that a waiting asker got, if there was one. */
  readonly waiterState?: AskState
}

/** @param fresh the ask, read by a store that was opened after the race */
export function faultsOf(raced: Raced, kept: Kept | undefined, fresh: Ask | undefined): Fault[] {
  const ending = kept?.ending
  if (kept === undefined || ending === undefined) return [{ rule: 'two outcomes', text: 'it never ended' }]
  const all = (rule: Fault['rule'], texts: readonly string[]) => texts.map((text) => ({ rule, text }))
  return [
    ...all('two outcomes', [...winnerFaults(raced, kept, ending), ...consequenceFaults(raced, kept, ending)]),
    ...all('different replies', [...raced.replies.flatMap((reply) => replyFaults(reply, kept, ending))]),
    ...all('different replies', [...askerFaults(raced, ending), ...freshFaults(fresh, kept, ending)]),
    ...all('miscounted', voteFaults(raced, kept, ending)),
    ...all('misrecorded', recordFaults(kept, ending)),
  ]
}

/** Replies that report the actor as the winner; several only if one decision was sent twice. */
function winnersOf({ replies }: Raced): Reply[] {
  return replies.filter(({ kind }) => kind === 'settled' || kind === 'done')
}

/** The attempt that ended the ask. Undefined if it expired and an answer, a withdrawal or a read recorded that first. */
export function winnerOf(raced: Raced): Attempt | undefined {
  return winnersOf(raced)[0]?.attempt
}

function winnerFaults(raced: Raced, { ask }: Kept, ending: Ending): string[] {
  const winners = winnersOf(raced)
  const [first] = winners
  const isInTime = Number(ask.ended_at) < Number(ask.decide_by)
  if (isInTime !== (ending.kind !== 'expired')) return [`it was ${ending.kind} on the wrong side of its deadline`]
  if (first === undefined) {
    const isNoticed = ending.kind === 'expired' && (raced.waiterState !== undefined || raced.replies.some(isTooLate))
    const isRepeated = raced.replies.some((reply) => reply.isRepeated && isBy(ending, reply.attempt))
    return isNoticed || isRepeated ? [] : [`it was ${ending.kind} by no attempt`]
  }
  if (winners.some(({ attempt }) => !isSameDecision(attempt, first.attempt))) {
    return [`${winners.length} actors were reported as the winner`]
  }
  if (!isBy(ending, first.attempt))
    return [`it was ${ending.kind}, but a ${first.attempt.kind} was reported as the winner`]
  // These clocks differ from process to process, so the stored time must be that of a process that won.
  const isItsTime = ({ attempt: { store, worker } }: Reply) =>
    store === 'database' || ask.ended_at === clockMs(store, worker)
  return winners.some(isItsTime) ? [] : ['the stored time is not the time of its winner']
}

function isTooLate({ kind, attempt }: Reply): boolean {
  return attempt.kind !== 'expire' && (kind === 'ended' || kind === 'counted')
}

/** A decision that is sent twice is one decision. */
function isSameDecision(one: Attempt, other: Attempt): boolean {
  return one === other || ('decisionId' in one && 'decisionId' in other && one.decisionId === other.decisionId)
}

function isBy(ending: Ending, attempt: Attempt): boolean {
  if (attempt.kind === 'expire') return ending.kind === 'expired'
  if (attempt.kind === 'withdraw') return ending.kind === 'withdrawn' && ending.reason === attempt.reason
  if (ending.kind !== 'settled') return false
  const { by, kind, decisionId } = attempt
  return ending.by === by && ending.answer.action === kind && ending.decisionId === decisionId && ending.via === 'inbox'
}

/** The consequences of the ending: a grant only for a yes, and no inbox that still shows the ask. */
function consequenceFaults({ draft }: Raced, { ask, grants, listed, listedOpen }: Kept, ending: Ending): string[] {
  const faults: string[] = []
  const isYes = ending.kind === 'settled' && ending.answer.action === 'accept'
  if (grants.length !== (isYes ? 1 : 0)) faults.push(`it was ${ending.kind} and has ${grants.length} grants`)
  for (const grant of grants) {
    const isItsOwn = grant.digest === ask.digest && grant.principal === draft.principal
    const isOfItsTime = grant.granted_at === ask.ended_at && grant.used_at === null
    const expiresAtMs = Number(ask.ended_at) + draft.useWithinMs
    if (!isItsOwn || !isOfItsTime || grant.expires_at !== expiresAtMs)
      faults.push('its grant is not for what was asked')
  }
  // It is listed for the person whose call waits, too.
  const people = new Set<string>([...draft.approvalRule.approvers, `person:${draft.principal}`])
  if (listed !== people.size) faults.push(`it was listed for ${listed} people and groups`)
  if (listedOpen !== 0) faults.push(`${listedOpen} approvers still see it as open`)
  return faults
}

function replyFaults({ attempt, kind, state, counted, message }: Reply, { votes }: Kept, ending: Ending): string[] {
  const who = `a ${attempt.kind} by the ${attempt.store} clock`
  if (state !== undefined && state.kind !== 'open') {
    if (!isDeepStrictEqual(state, ending)) return [`${who} got ${words(state)}, but it was ${words(ending)}`]
    const kept = new Set(votes.map((vote) => vote.decision_id))
    if (!isDeepStrictEqual(new Set(counted), kept)) return [`${who} got other votes than the ${kept.size} stored ones`]
  }
  const isVote = 'decisionId' in attempt
  const isWinner = isBy(ending, attempt) && isVote
  if (isWinner && kind !== 'settled') return [`${who} decided, but got ${kind}`]
  const vote = isVote ? votes.find((row) => row.voter === attempt.by) : undefined
  switch (kind) {
    case 'settled':
      return isWinner ? [] : [`${who} got "settled" although another attempt did it`]
    case 'done':
      return isVote ? [`${who} got "done"`] : []
    case 'ended':
      return state?.kind === ending.kind ? [] : [`${who} got "ended" without the outcome`]
    case 'counted':
      return isVote && vote?.decision_id === attempt.decisionId ? [] : [`${who} got "counted" but does not count`]
    case 'already-voted':
      return isVote && vote !== undefined && vote.decision_id !== attempt.decisionId
        ? []
        : [`${who} had not voted before`]
    case 'not-due':
      return attempt.kind === 'expire' && attempt.store !== 'after' ? [] : [`${who} got "not due"`]
    default:
      return [`${who} got ${kind} ${message ?? ''}`]
  }
}

function words(state: AskState): string {
  if (state.kind !== 'settled') return `${state.kind} at ${state.kind === 'open' ? 'no time' : state.atMs}`
  return `settled (${state.answer.action} by ${state.by} at ${state.atMs})`
}

function askerFaults({ waiterState }: Raced, ending: Ending): string[] {
  if (waiterState === undefined || isDeepStrictEqual(waiterState, ending)) return []
  return [`the waiting asker got ${words(waiterState)}, but it was ${words(ending)}`]
}

function freshFaults(fresh: Ask | undefined, { votes }: Kept, ending: Ending): string[] {
  const isSame = isDeepStrictEqual(fresh?.state, ending) && fresh?.votes.length === votes.length
  return isSame ? [] : ['a store opened after the race reads something else']
}

function voteFaults({ draft, deadline, replies }: Raced, { ask, votes }: Kept, ending: Ending): string[] {
  const faults: string[] = []
  const repliesOf = (...kinds: string[]) =>
    new Set(
      replies.flatMap(({ kind, attempt }) => ('by' in attempt && kinds.includes(kind) ? [attempt.decisionId] : [])),
    )
  const count = (action: string) => votes.filter((vote) => JSON.parse(String(vote.answer)).action === action).length
  const isQuorum = draft.approvalRule.approvals > 1
  const end = ending.kind === 'settled' ? ending.answer.action : 'none'
  // If one answer decides there are no votes, only the counters on the row.
  const accepts = isQuorum ? count('accept') : Number(end === 'accept')
  const declines = isQuorum ? count('decline') : Number(end === 'decline')

  if (!isQuorum && votes.length > 0) faults.push('one answer decides, but there are votes')
  if (ask.accepts !== accepts || ask.declines !== declines) faults.push('the counters do not match the votes')
  if (accepts >= draft.approvalRule.approvals !== (end === 'accept'))
    faults.push(`${accepts} accepts, and ${ending.kind}`)
  if (accepts > draft.approvalRule.approvals || declines !== Number(end === 'decline'))
    faults.push('votes were counted after the end')
  if (new Set(votes.map((vote) => vote.voter)).size !== votes.length) faults.push('a person was counted twice')

  const kept = new Set(votes.map((vote) => vote.decision_id))
  if (isQuorum && !isDeepStrictEqual(repliesOf('counted', 'settled'), kept))
    faults.push('votes were reported as counted that are not')
  // At a real deadline the second copy of a counted vote may find the ask ended, which is no contradiction.
  const counted = repliesOf('counted')
  const isMixed = deadline !== 'during' && [...repliesOf('ended', 'already-voted')].some((id) => counted.has(id))
  if (isMixed) faults.push('one decision that was sent twice got two different replies')
  return faults
}
