// One question put to a person, from the moment it is raised until it has ended.
//
// This module defines the states of an ask and the transitions between them. It has no clock, makes no ids and stores
// nothing. The store makes each transition in a single statement, so that of two concurrent ones exactly one succeeds.
//
// Two times: an open ask expires at `decideByMs`; an approval can be used for `useWithinMs`.

import { actionDigest } from '../digest/action.ts'
import { digestOf } from '../digest/digest.ts'
import { isAssentError } from '../errors.ts'
import { isId, isName } from '../ids.ts'
import { askLimits } from '../limits.ts'
import type { Assertion } from '../presence/assertion.ts'
import type { Answer, AnswerDigests } from './answer.ts'
import { type ApprovalRule, approvalRuleProblem, isApprovedBy } from './approval-rule.ts'
import type { Person } from './approver.ts'
import { withoutChecked } from './ask-meta.ts'
import { isDecision } from './decision.ts'
import type { Question } from './question.ts'

export interface Ask {
  readonly tenant: string
  readonly id: string
  /** The names of the server and tool that ask, from our configuration and never from what they call themselves. */
  readonly asker: { readonly server: string; readonly tool?: string }
  /** The program whose call asks, and where it works. */
  readonly caller?: AskCaller
  /** On whose behalf the asking call runs. */
  readonly principal: string
  /** The call that waits for the answer, when one does. */
  readonly callId?: string
  readonly question: Question
  /** The asker receives what a person writes beside the answer. Otherwise the comment is only in the audit log. */
  readonly commentReaches?: 'asker'
  /** The asker's own timeout is not known: it may stop waiting before the deadline. */
  readonly isWaitUnknown?: true
  /** When a request last waited for the answer. */
  readonly lastSeenAtMs?: number
  /** The client answered too fast for a person to have read the question, so it was asked again in the inbox. */
  readonly fastAnswer?: FastAnswer
  readonly approvalRule: ApprovalRule
  /** Accepting it needs a passkey of the person. */
  readonly needsPresence?: true
  readonly raisedAtMs: number
  readonly decideByMs: number
  readonly useWithinMs: number
  /** The answers that counted while more were needed; empty where one answer decides. */
  readonly votes: readonly CastVote[]
  readonly state: AskState
}

/** From what the process that serves the program knows, and what the program calls itself; never from a server. */
export interface AskCaller {
  readonly client?: string
  /** The name of the project's folder, without its path. */
  readonly folder?: string
  readonly branch?: string
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
      /** When Assent found that the asking server had stopped waiting: the answer had no effect. */
      readonly undeliveredAtMs?: number
    } & StoredVote)
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
  /** The process that held the waiting call died, or did not renew its lease in time. */
  | 'owner-lost'
  /** The waiting call failed because the gateway could not reach its database. */
  | 'store-unavailable'
  /** The stored row does not match its signatures: it was changed outside Assent, or its key is not configured. */
  | 'unverified'

/** An ask before it is raised: it has a duration to decide instead of a deadline. */
export type AskDraft = Omit<Ask, 'fastAnswer' | 'raisedAtMs' | 'decideByMs' | 'lastSeenAtMs' | 'votes' | 'state'> & {
  readonly decideWithinMs: number
}

/** A checked answer of a person who may decide. */
export interface Vote {
  readonly answer: Answer
  readonly by: string
  readonly via: Surface
  /** Made by the client that answers; the same id again is the same answer sent twice. */
  readonly decisionId: string
  /** The groups of the person that the approval rule names. */
  readonly groups?: readonly string[]
  /** The signature of the person's own key over this decision. */
  readonly presence?: Assertion
}

/** A vote as it is stored. */
export interface StoredVote extends Vote {
  /** The answer contains something that looks like a secret: it is stored sealed and never shown. */
  readonly isSecret?: true
  /** The secret was delivered and deleted: `answer` has no content and no comment, and these are their digests. */
  readonly deleted?: AnswerDigests
}

export interface CastVote extends StoredVote {
  readonly atMs: number
}

export type AskTransition =
  | { readonly ok: true; readonly ask: Ask }
  | { readonly ok: false; readonly reason: 'ended'; readonly ask: Ask }
  | { readonly ok: false; readonly reason: 'not-due' | 'no-cancel' | 'already-voted' }

/** Opens an ask from a draft without a `draftProblem`. */
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

/** The only transition that adds an answer. */
export function answer(ask: Ask, vote: Vote, nowMs: number): AskTransition {
  const current = askAt(ask, nowMs)
  if (current.state.kind !== 'open') return { ok: false, reason: 'ended', ask: current }
  if (vote.answer.action === 'cancel' && !mayCancel(ask.approvalRule)) return { ok: false, reason: 'no-cancel' }
  if (ask.votes.some((earlier) => earlier.by === vote.by)) return { ok: false, reason: 'already-voted' }

  const cast = { ...vote, atMs: nowMs }
  const votes = needsSeveral(ask.approvalRule) ? [...ask.votes, cast] : []
  if (!reached(ask.approvalRule, [...ask.votes, cast])) return { ok: true, ask: { ...ask, votes } }
  return { ok: true, ask: { ...ask, votes, state: { kind: 'settled', ...cast } } }
}

/** Whether these votes decide: the accepts meet the rule, there are enough declines, or one is a cancel. */
function reached(approvalRule: ApprovalRule, votes: readonly Vote[]): boolean {
  // A single answer decides, and its voter may decide.
  if (!needsSeveral(approvalRule)) return votes.length > 0
  const count = (action: Answer['action']) => votes.filter((vote) => vote.answer.action === action).length
  return (
    isApprovedBy(approvalRule, acceptedBy(votes)) || count('decline') >= approvalRule.declines || count('cancel') > 0
  )
}

/** The people whose accepts are among these votes. */
export function acceptedBy(votes: readonly Vote[]): Person[] {
  return votes.flatMap(({ answer, by, groups = [] }) => (answer.action === 'accept' ? [{ principal: by, groups }] : []))
}

/** Whether votes are stored: where one answer decides, the state has the answer and `votes` is empty. */
export function needsSeveral(approvalRule: ApprovalRule): boolean {
  return approvalRule.approvals > 1 || approvalRule.declines > 1
}

/** Ends an open ask whose deadline has passed; the outcome is a no. */
export function expire(ask: Ask, nowMs: number): AskTransition {
  if (ask.state.kind !== 'open') return { ok: false, reason: 'ended', ask }
  if (nowMs < ask.decideByMs) return { ok: false, reason: 'not-due' }
  return { ok: true, ask: askAt(ask, nowMs) }
}

/** Ends an open ask whose answer is no longer needed or that cannot be shown to anyone. */
export function withdraw(ask: Ask, reason: WithdrawReason, nowMs: number): AskTransition {
  const current = askAt(ask, nowMs)
  if (current.state.kind !== 'open') return { ok: false, reason: 'ended', ask: current }
  return { ok: true, ask: { ...ask, state: { kind: 'withdrawn', reason, atMs: nowMs } } }
}

/** The ask as it is at this moment: an open ask past its deadline has expired, even if that is not stored yet. */
export function askAt(ask: Ask, nowMs: number): Ask {
  if (ask.state.kind !== 'open' || nowMs < ask.decideByMs) return ask
  return { ...ask, state: { kind: 'expired', atMs: ask.decideByMs } }
}

/**
 * One person's cancel must not end an ask that others still decide, so an ask with several approvals has no cancel, and
 * neither has one that a policy requires of several people.
 */
export function mayCancel({ approvals, approvers, requirements }: ApprovalRule): boolean {
  if (approvals !== 1) return false
  return requirements === undefined || (approvers.length === 1 && approvers[0]?.startsWith('person:') === true)
}

/** The reason why this draft cannot be raised; undefined when it is valid. */
export function draftProblem(draft: AskDraft): string | undefined {
  if (!isBetween(draft.decideWithinMs, askLimits.decideMinMs, askLimits.decideMaxMs)) {
    return 'A person may be given from one second to ninety days to decide.'
  }
  if (!isBetween(draft.useWithinMs, 1, askLimits.useWithinMaxMs))
    return 'An approval can be used for at most two weeks.'
  if (draft.approvalRule.approvals > 1 && draft.question.kind !== 'approval') {
    // Two people who fill in a form differently have not agreed on anything.
    return 'Only an approval can need several people: a form has one answer.'
  }
  return nameProblem(draft) ?? approvalRuleProblem(draft.approvalRule) ?? questionProblem(draft.question)
}

function nameProblem({ tenant, id, asker, caller = {}, principal, callId }: AskDraft): string | undefined {
  if (Object.values(caller).some((text) => text.length > askLimits.callerChars || !text.isWellFormed()))
    return `The names of a caller have at most ${askLimits.callerChars} characters.`
  if (!isId(id, 'ask')) return 'The id of the ask is invalid.'
  if (callId !== undefined && !isId(callId, 'call')) return 'The id of the call is invalid.'
  const names = [tenant, asker.server, principal, ...(asker.tool === undefined ? [] : [asker.tool])]
  return names.every(isName) ? undefined : 'A tenant, server, tool or principal has a name that cannot be shown.'
}

function questionProblem(question: Question): string | undefined {
  const text = question.kind === 'approval' ? question.title + (question.claim ?? '') : question.message
  if (text.length > askLimits.messageChars) return `A question has at most ${askLimits.messageChars} characters.`
  if (question.kind === 'form' && question.checked !== undefined) {
    if (withoutChecked(question.message, question.checked) === undefined) {
      return 'The checked text is not a paragraph of the message.'
    }
  }
  if (question.kind === 'form' && question.declared !== undefined) {
    const { action, digest } = question.declared
    if (!isDecision(question.form)) return 'Only a question for an approval can declare an action.'
    if (digestOrNone(() => actionDigest(action)) !== digest) return 'The declared digest is not that of its action.'
  }
  if (question.kind === 'url' && question.url.length > askLimits.urlChars) {
    return `A link has at most ${askLimits.urlChars} characters.`
  }
  // Without a digest the audit log could not prove what was asked.
  const digest = digestOrNone(() => digestOf('question v1', question))
  if (digest === undefined) return 'The question has no canonical JSON form.'
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
