// The approval that several policies require together: each of them has to be met, and the strictest terms apply. Pure.

import {
  type ApprovalRequirement,
  type Ask,
  acceptedBy,
  type CastVote,
  canonicalJson,
  meetsRequirements,
  needsSeveral,
  type Person,
} from '@assent/core'
import type { PolicyAsk } from '@assent/policy'
import type { WantedApproval } from '../model.ts'

/** Everything about the approval that does not depend on the call. */
export type RequiredApproval = Omit<WantedApproval, 'title' | 'definitionDigest' | 'policySetDigest'> & {
  readonly decideWithinMs?: number
  readonly needsPresence?: true
}

/**
 * The client of an agent can give only the approval of the requester, without a passkey or a reason. So it is asked only where that
 * alone is enough.
 */
export function requiredApproval(
  asks: readonly PolicyAsk[],
  requirements: readonly ApprovalRequirement[],
  requester: Person,
): RequiredApproval {
  const terms = asks.map((ask) => ask.terms)
  const least = (all: readonly (number | undefined)[]) => {
    const given = all.filter((one) => one !== undefined)
    return given.length === 0 ? undefined : Math.min(...given)
  }
  const decideWithinMs = least(terms.map((one) => one.decideWithinMs))
  const useWithinMs = least(terms.map((one) => one.useWithinMs))
  const needsReason = terms.some((one) => one.needsReason)
  const needsPresence = terms.some((one) => one.needsPresence)
  const isDestructive = terms.some((one) => one.isDestructive === true)
  const isOnClient =
    terms.every(({ surfaces }) => surfaces.includes('client')) &&
    !needsReason &&
    !needsPresence &&
    meetsRequirements(requirements, [requester])
  return {
    policies: asks.map(({ policy }) => policy),
    requirements,
    declines: Math.min(...terms.map(({ declines }) => declines)),
    ...(decideWithinMs === undefined ? {} : { decideWithinMs }),
    ...(useWithinMs === undefined ? {} : { useWithinMs }),
    ...(needsReason ? { needsReason } : {}),
    ...(needsPresence ? { needsPresence } : {}),
    ...(isDestructive ? { isDestructive } : {}),
    ...(isOnClient ? { isOnClient } : {}),
  }
}

/** Whether an approval that was given under `approved` meets what is required now: nothing has become stricter. */
export function isCovered(now: RequiredApproval, approved: RequiredApproval): boolean {
  const met = new Set(approved.requirements.map((one) => canonicalJson(one)))
  if (!now.requirements.every((one) => met.has(canonicalJson(one)))) return false
  if (now.needsPresence === true && approved.needsPresence !== true) return false
  if (now.needsReason === true && approved.needsReason !== true) return false
  // Its approver was not warned, and may have needed no passkey.
  if (now.isDestructive === true && approved.isDestructive !== true) return false
  if (now.isInDestructiveTool === true && approved.isInDestructiveTool !== true) return false
  // Fewer declines would have ended the ask, or its approval would have expired sooner.
  if (now.declines < approved.declines) return false
  if (isShorter(now.useWithinMs, approved.useWithinMs)) return false
  // A decision after this time would not have counted.
  if (isShorter(now.decideWithinMs, approved.decideWithinMs)) return false
  return now.isOnClient === true || approved.isOnClient !== true
}

/**
 * Whether the votes of an approved ask meet what is required now: as if they had been cast under this rule.
 *
 * Each vote has the groups that its voter had then, of those that the rule of the ask names. Another group of the voter is
 * not known, so a vote never counts for it.
 */
export function votesMeet(
  now: RequiredApproval,
  { question, approvalRule, raisedAtMs, votes, state }: Ask,
  usedAtMs: number,
): boolean {
  if (question.kind !== 'approval' || state.kind !== 'settled' || state.answer.action !== 'accept') return false
  // Its approvers were not warned, and may have needed no passkey.
  if (now.isDestructive === true && question.isDestructive !== true) return false
  if (now.isInDestructiveTool === true && question.isInDestructiveTool !== true) return false
  if (isLonger(state.atMs - raisedAtMs, now.decideWithinMs)) return false
  if (isLonger(usedAtMs - state.atMs, now.useWithinMs)) return false
  const cast = needsSeveral(approvalRule) ? votes : [state]
  if (cast.filter(({ answer }) => answer.action === 'decline').length >= now.declines) return false
  return meetsRequirements(now.requirements, acceptedBy(cast.filter((vote) => isOneFor(now, vote))))
}

/** Whether the vote was given in the way that is required now. */
function isOneFor(now: RequiredApproval, { answer, deleted, presence, via }: CastVote): boolean {
  if (now.needsPresence === true && presence === undefined) return false
  const reason = answer.comment ?? deleted?.commentDigest
  if (now.needsReason === true && reason === undefined) return false
  return via !== 'client' || now.isOnClient === true
}

/** A vote or a use at the deadline is too late. */
function isLonger(tookMs: number, atMost = Number.POSITIVE_INFINITY): boolean {
  return tookMs >= atMost
}

/** An absent time is the longest one. */
function isShorter(now = Number.POSITIVE_INFINITY, before = Number.POSITIVE_INFINITY): boolean {
  return now < before
}
