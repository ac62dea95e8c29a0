// Small checks of asks and votes, for the class that stores them.

import { type Ask, answerDigests, canonicalJson, mayDecide, type StoredVote, type Vote } from '@assent/core'
import type { AnswerRequest } from './answer-request.ts'

/** The ask that the caller has read, if it was open then. The statement checks whether it still is. */
export function openAskOf({ tenant, id, ask }: AnswerRequest): { ask: Ask; nowMs: number } | undefined {
  const isOpen = ask?.state.kind === 'open' && ask.tenant === tenant && ask.id === id
  return isOpen ? { ask, nowMs: ask.raisedAtMs } : undefined
}

/**
 * Whether this person may answer the ask or, once it has ended, get its outcome. Stale groups count only if `ask` itself has ended:
 * votes are cast only on an ask that is open here, whatever the caller read before.
 */
export function mayAnswer(
  { approvalRule, state }: Ask,
  { person, staleGroups = [] }: Pick<AnswerRequest, 'person' | 'staleGroups'>,
): boolean {
  const counted = state.kind === 'open' ? person.groups : [...person.groups, ...staleGroups]
  return mayDecide(approvalRule, { ...person, groups: counted })
}

export function isUnverified({ state }: Ask): boolean {
  return state.kind === 'withdrawn' && state.reason === 'unverified'
}

export function asksForSecret({ question }: Ask, page: string): boolean {
  return question.kind === 'url' && question.secret?.page === page
}

export function isSameVote(stored: StoredVote, vote: Vote): boolean {
  const digests = stored.deleted ?? answerDigests(stored.answer)
  return stored.by === vote.by && canonicalJson(digests) === canonicalJson(answerDigests(vote.answer))
}
