// One question put to a person, from the moment it is raised until it has ended.
//
// This module knows the states an ask can be in and the moves between them. It has no clock, makes no ids and stores
// nothing: the caller passes the time in and keeps what comes back. The store makes the same moves as single
// statements, so that of two moves at once exactly one happens.
//
// Two clocks: `decideByMs` is when silence becomes a no; `useWithinMs` is how long a yes may wait to be used.

import { actionDigest } from '../digest/action.ts'
import { digestOf } from '../digest/digest.ts'
import { isAssentError } from '../errors.ts'
import { isId, isName } from '../ids.ts'
import { askLimits } from '../limits.ts'
import type { Answer, AnswerDigests } from './answer.ts'
import { withoutChecked } from './ask-meta.ts'
import { type Electorate, electorateProblem } from './electorate.ts'
import type { Question } from './question.ts'

export interface Ask {
  readonly tenant: string
  readonly id: string
  /** The names of the server and tool that ask, from our configuration and never from what they call themselves. */
  readonly asker: { readonly server: string; readonly tool?: string }
  /** On whose behalf the asking call runs. */
  readonly principal: string
  /** The call that waits for the answer, when one does. */
  readonly callId?: string
  readonly question: Question
  /** The asker receives what a person writes beside the answer. Without it the comment is kept in the audit log only. */
  readonly commentReaches?: 'asker'
  /** The asker's own timeout is not known: it may stop waiting before the deadline. */
  readonly isWaitUnknown?: true
  /** When a request last waited for the answer. */
  readonly lastSeenAtMs?: number
  /** The client answered too fast for a person to have read the question, so it was asked again in the inbox. */
  readonly fastAnswer?: FastAnswer
  readonly electorate: Electorate
  readonly raisedAtMs: number
  readonly decideByMs: number
  readonly useWithinMs: number
  /** The answers that counted while more were needed; empty where one answer decides. */
  readonly votes: readonly CastVote[]
  readonly state: AskState
}

export interface FastAnswer {
  readonly action: Answer['action']
  readonly afterMs: number
}

export type AskState =
  | { readonly kind: 'open' }
  | ({
      readonly kind: 'settled'
      readonly atMs: number
      /** When it was found that the asking server had stopped waiting: the answer had no effect. */
      readonly undeliveredAtMs?: number
    } & KeptVote)
  | { readonly kind: 'expired'; readonly atMs: number }
  | { readonly kind: 'withdrawn'; readonly reason: WithdrawReason; readonly atMs: number }

/** Where a person saw the ask. */
export type Surface = 'client' | 'inbox' | 'terminal'

export type WithdrawReason =
  | 'undeliverable'
  | 'unseen'
  /** The caller cancelled its call. */
  | 'call-cancelled'
  /** The server that asked stopped waiting: it took the question back, or its call ended. */
  | 'asker-stopped'
  /** The caller went away and cannot come back for the answer. */
  | 'caller-gone'
  /** The process that held the waiting call died. */
  | 'owner-lost'
  /** The stored row does not match its signatures: it was changed outside Assent, or its key is not configured. */
  | 'unverified'

/** An ask before it has a place in time: how long a person may take, instead of until when. */
export type AskDraft = Omit<Ask, 'fastAnswer' | 'raisedAtMs' | 'decideByMs' | 'lastSeenAtMs' | 'votes' | 'state'> & {
  readonly decideWithinMs: number
}

/** An answer as cast: judged already, by someone who may decide. */
export interface Vote {
  readonly answer: Answer
  readonly by: string
  readonly via: Surface
  /** Made by whoever answers; the same id again is the same answer sent twice. */
  readonly decisionId: string
}

/** A vote as the store keeps it. */
export interface KeptVote extends Vote {
  /** The answer holds what looks like a secret: it is stored sealed and shown to nobody. */
  readonly isSecret?: true
  /** The secret was delivered and deleted: `answer` has no content and no comment, and these digests stand for them. */
  readonly deleted?: AnswerDigests
}

export interface CastVote extends KeptVote {
  readonly atMs: number
}

export type Moved =
  | { readonly ok: true; readonly ask: Ask }
  | { readonly ok: false; readonly reason: 'ended'; readonly ask: Ask }
  | { readonly ok: false; readonly reason: 'not-due' | 'no-cancel' | 'already-voted' }

/** Opens an ask that `draftProblem` found nothing wrong with. */
export function raise({ decideWithinMs, ...draft }: AskDraft, nowMs: number): Ask {
  return {
    ...draft,
    lastSeenAtMs: nowMs,
    raisedAtMs: nowMs,
    decideByMs: nowMs + decideWithinMs,
    votes: [],
    state: { kind: 'open' },
  }
}

/** The only way an ask gains an answer. */
export function answer(ask: Ask, vote: Vote, nowMs: number): Moved {
  const current = at(ask, nowMs)
  if (current.state.kind !== 'open') return { ok: false, reason: 'ended', ask: current }
  if (vote.answer.action === 'cancel' && !mayCancel(ask.electorate)) return { ok: false, reason: 'no-cancel' }
  if (ask.votes.some((earlier) => earlier.by === vote.by)) return { ok: false, reason: 'already-voted' }

  const cast = { ...vote, atMs: nowMs }
  const votes = needsSeveral(ask.electorate) ? [...ask.votes, cast] : []
  if (!reached(ask.electorate, [...ask.votes, cast])) return { ok: true, ask: { ...ask, votes } }
  return { ok: true, ask: { ...ask, votes, state: { kind: 'settled', ...cast } } }
}

/** Whether these votes decide: enough accepts, enough declines, or the only person asked made no choice. */
function reached(electorate: Electorate, votes: readonly Vote[]): boolean {
  const count = (action: Answer['action']) => votes.filter((vote) => vote.answer.action === action).length
  return count('accept') >= electorate.approvals || count('decline') >= electorate.declines || count('cancel') > 0
}

/** Where one answer decides, the state alone tells it and no votes are kept. */
export function needsSeveral(electorate: Electorate): boolean {
  return electorate.approvals > 1 || electorate.declines > 1
}

/** Silence is a no, from the deadline on. */
export function expire(ask: Ask, nowMs: number): Moved {
  if (ask.state.kind !== 'open') return { ok: false, reason: 'ended', ask }
  if (nowMs < ask.decideByMs) return { ok: false, reason: 'not-due' }
  return { ok: true, ask: at(ask, nowMs) }
}

/** Takes the question back: nobody needs the answer, or nobody can be asked. */
export function withdraw(ask: Ask, reason: WithdrawReason, nowMs: number): Moved {
  const current = at(ask, nowMs)
  if (current.state.kind !== 'open') return { ok: false, reason: 'ended', ask: current }
  return { ok: true, ask: { ...ask, state: { kind: 'withdrawn', reason, atMs: nowMs } } }
}

/** The ask as it is at this moment: an open ask past its deadline has expired, whether or not anyone noticed. */
export function at(ask: Ask, nowMs: number): Ask {
  if (ask.state.kind !== 'open' || nowMs < ask.decideByMs) return ask
  return { ...ask, state: { kind: 'expired', atMs: ask.decideByMs } }
}

/**
 * One person's "no choice" must not end what others are still to decide, so an ask that needs several approvals can be
 * declined or left alone, but not cancelled.
 */
export function mayCancel(electorate: Electorate): boolean {
  return electorate.approvals === 1
}

/** Says in words why this may not be put to anyone, or nothing. */
export function draftProblem(draft: AskDraft): string | undefined {
  if (!isBetween(draft.decideWithinMs, askLimits.decideMinMs, askLimits.decideMaxMs)) {
    return 'A person may be given from one second to ninety days to decide.'
  }
  if (!isBetween(draft.useWithinMs, 1, askLimits.useWithinMaxMs)) return 'A yes can be used for at most two weeks.'
  if (draft.electorate.approvals > 1 && draft.question.kind !== 'approval') {
    // Two people who fill in a form differently have not agreed on anything.
    return 'Only an approval can need several people: a form has one answer.'
  }
  return nameProblem(draft) ?? electorateProblem(draft.electorate) ?? questionProblem(draft.question)
}

function nameProblem({ tenant, id, asker, principal, callId }: AskDraft): string | undefined {
  if (!isId(id, 'ask')) return 'An ask needs an id of ours.'
  if (callId !== undefined && !isId(callId, 'call')) return 'A call needs an id of ours.'
  const names = [tenant, asker.server, principal, ...(asker.tool === undefined ? [] : [asker.tool])]
  return names.every(isName) ? undefined : 'A tenant, server, tool or principal has a name that cannot be shown.'
}

function questionProblem(question: Question): string | undefined {
  const words = question.kind === 'approval' ? question.title + (question.claim ?? '') : question.message
  if (words.length > askLimits.messageChars) return `A question has at most ${askLimits.messageChars} characters.`
  if (question.kind === 'form' && question.checked !== undefined) {
    if (withoutChecked(question.message, question.checked) === undefined) {
      return 'What Assent checked is not a paragraph of the message.'
    }
  }
  if (question.kind === 'url' && question.url.length > askLimits.urlChars) {
    return `A link has at most ${askLimits.urlChars} characters.`
  }
  // What has no digest cannot be put on record: nobody could say later what was asked.
  const digest = digestOrNone(() => digestOf('question v1', question))
  if (digest === undefined) return 'A question is JSON in whole characters.'
  if (question.kind === 'approval' && digestOrNone(() => actionDigest(question.action)) !== question.digest) {
    return 'The digest of an approval is not the digest of its action.'
  }
  return undefined
}

function digestOrNone(make: () => string): string | undefined {
  try {
    return make()
  } catch (error) {
    if (isAssentError(error)) return undefined
    throw error
  }
}

function isBetween(value: number, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most
}
