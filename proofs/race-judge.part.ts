// Judges one contest: what everyone was told against what everyone else was told and against the tables.
//
// It knows the rules of the game and nothing of how the store keeps them. A rule that is broken becomes a sentence; the
// two that the race is about, one outcome and the same news for all, are told apart from the rest.

import { isDeepStrictEqual } from 'node:util'
import type { Ask, AskState } from '../packages/core/src/index.ts'
import { clockMs, type Reply } from './race-attempt.part.ts'
import type { Attempt, Contest } from './race-plan.part.ts'
import { recordFaults } from './race-record.part.ts'
import type { Ending, Kept } from './race-tables.part.ts'

export interface Fault {
  readonly rule: 'two outcomes' | 'told otherwise' | 'miscounted' | 'misrecorded'
  readonly text: string
}

export interface Raced extends Contest {
  readonly replies: readonly Reply[]
  /** What the asker was told who waited for the ending, where one did. */
  readonly heard?: AskState
}

/** @param fresh the ask as a store opened after the race reads it */
export function faultsOf(raced: Raced, kept: Kept | undefined, fresh: Ask | undefined): Fault[] {
  const ending = kept?.ending
  if (kept === undefined || ending === undefined) return [{ rule: 'two outcomes', text: 'it never ended' }]
  const all = (rule: Fault['rule'], texts: readonly string[]) => texts.map((text) => ({ rule, text }))
  return [
    ...all('two outcomes', [...winnerFaults(raced, kept, ending), ...consequenceFaults(raced, kept, ending)]),
    ...all('told otherwise', [...raced.replies.flatMap((reply) => replyFaults(reply, kept, ending))]),
    ...all('told otherwise', [...askerFaults(raced, ending), ...freshFaults(fresh, kept, ending)]),
    ...all('miscounted', voteFaults(raced, kept, ending)),
    ...all('misrecorded', recordFaults(kept, ending)),
  ]
}

/** Those who were told that the ending is theirs; more than one reply only where one decision was sent twice. */
function winnersOf({ replies }: Raced): Reply[] {
  return replies.filter(({ kind }) => kind === 'settled' || kind === 'done')
}

/** Whose attempt ended the ask. Undefined when it expired and an answer, a withdrawal or a reader noticed that first. */
export function winnerOf(raced: Raced): Attempt | undefined {
  return winnersOf(raced)[0]?.attempt
}

function winnerFaults(raced: Raced, { ask }: Kept, ending: Ending): string[] {
  const winners = winnersOf(raced)
  const [first] = winners
  const isInTime = Number(ask.ended_at) < Number(ask.decide_by)
  if (isInTime !== (ending.kind !== 'expired')) return [`it was ${ending.kind} on the wrong side of its deadline`]
  if (first === undefined) {
    const isNoticed = ending.kind === 'expired' && (raced.heard !== undefined || raced.replies.some(isTooLate))
    return isNoticed ? [] : [`it was ${ending.kind} by nobody`]
  }
  if (winners.some(({ attempt }) => !isSameDecision(attempt, first.attempt))) {
    return [`${winners.length} actors were told that the ending is theirs`]
  }
  if (!isBy(ending, first.attempt)) return [`it was ${ending.kind}, but a ${first.attempt.kind} was told that it won`]
  // These clocks differ from process to process, so the time kept must be that of a process that won.
  const isItsTime = ({ attempt: { store, worker } }: Reply) =>
    store === 'database' || ask.ended_at === clockMs(store, worker)
  return winners.some(isItsTime) ? [] : ['the time kept is not the time of its winner']
}

function isTooLate({ kind, attempt }: Reply): boolean {
  return attempt.kind !== 'expire' && (kind === 'ended' || kind === 'counted')
}

/** A decision sent twice is one decision; anything else is only itself. */
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

/** What hangs on the ending: a grant for a yes and for nothing else, and no inbox that still shows the ask. */
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
  if (listed !== draft.electorate.approvers.length) faults.push(`it was put to ${listed} approvers`)
  if (listedOpen !== 0) faults.push(`${listedOpen} approvers still see it as open`)
  return faults
}

function replyFaults({ attempt, kind, state, counted, message }: Reply, { votes }: Kept, ending: Ending): string[] {
  const who = `a ${attempt.kind} by the ${attempt.store} clock`
  if (state !== undefined && state.kind !== 'open') {
    if (!isDeepStrictEqual(state, ending)) return [`${who} was told ${words(state)}, and it was ${words(ending)}`]
    const kept = new Set(votes.map((vote) => vote.decision_id))
    if (!isDeepStrictEqual(new Set(counted), kept)) return [`${who} was told of other votes than the ${kept.size} kept`]
  }
  const isVote = 'decisionId' in attempt
  const isWinner = isBy(ending, attempt) && isVote
  if (isWinner && kind !== 'settled') return [`${who} decided, and was told ${kind}`]
  const vote = isVote ? votes.find((row) => row.voter === attempt.by) : undefined
  switch (kind) {
    case 'settled':
      return isWinner ? [] : [`${who} was told that it had settled what another did`]
    case 'done':
      return isVote ? [`${who} was told done`] : []
    case 'ended':
      return state?.kind === ending.kind ? [] : [`${who} was told that it had ended, but not how`]
    case 'counted':
      return isVote && vote?.decision_id === attempt.decisionId ? [] : [`${who} was told that it counts and does not`]
    case 'already-voted':
      return isVote && vote !== undefined && vote.decision_id !== attempt.decisionId
        ? []
        : [`${who} had not voted before`]
    case 'not-due':
      return attempt.kind === 'expire' && attempt.store !== 'after' ? [] : [`${who} was told that it is not due`]
    default:
      return [`${who} was told ${kind} ${message ?? ''}`]
  }
}

function words(state: AskState): string {
  if (state.kind !== 'settled') return `${state.kind} at ${state.kind === 'open' ? 'no time' : state.atMs}`
  return `settled (${state.answer.action} by ${state.by} at ${state.atMs})`
}

function askerFaults({ heard }: Raced, ending: Ending): string[] {
  if (heard === undefined || isDeepStrictEqual(heard, ending)) return []
  return [`the asker who waited was told ${words(heard)}, and it was ${words(ending)}`]
}

function freshFaults(fresh: Ask | undefined, { votes }: Kept, ending: Ending): string[] {
  const isSame = isDeepStrictEqual(fresh?.state, ending) && fresh?.votes.length === votes.length
  return isSame ? [] : ['a store opened after the race reads something else']
}

function voteFaults({ draft, deadline, replies }: Raced, { ask, votes }: Kept, ending: Ending): string[] {
  const faults: string[] = []
  const told = (...kinds: string[]) =>
    new Set(
      replies.flatMap(({ kind, attempt }) => ('by' in attempt && kinds.includes(kind) ? [attempt.decisionId] : [])),
    )
  const count = (action: string) => votes.filter((vote) => JSON.parse(String(vote.answer)).action === action).length
  const isQuorum = draft.electorate.approvals > 1
  const end = ending.kind === 'settled' ? ending.answer.action : 'none'
  // One answer decides without votes; then the counters on the row are all there is.
  const accepts = isQuorum ? count('accept') : Number(end === 'accept')
  const declines = isQuorum ? count('decline') : Number(end === 'decline')

  if (!isQuorum && votes.length > 0) faults.push('one answer decides, and yet there are votes')
  if (ask.accepts !== accepts || ask.declines !== declines) faults.push('the counters do not match the votes')
  if (accepts >= draft.electorate.approvals !== (end === 'accept'))
    faults.push(`${accepts} accepts, and ${ending.kind}`)
  if (accepts > draft.electorate.approvals || declines !== Number(end === 'decline'))
    faults.push('votes went on after the end')
  if (new Set(votes.map((vote) => vote.voter)).size !== votes.length) faults.push('someone was counted twice')

  const kept = new Set(votes.map((vote) => vote.decision_id))
  if (isQuorum && !isDeepStrictEqual(told('counted', 'settled'), kept)) faults.push('others were told that they count')
  // Around a real deadline the second sending of a counted vote may find the ask ended, which is no contradiction.
  const counted = told('counted')
  const isMixed = deadline !== 'during' && [...told('ended', 'already-voted')].some((id) => counted.has(id))
  if (isMixed) faults.push('one decision sent twice was told two things')
  return faults
}
