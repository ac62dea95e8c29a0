// The approval that several policies require together: each of them has to be met, and the strictest terms apply. Pure.

import { type ApprovalRequirement, canonicalJson } from '@assent/core'
import type { PolicyAsk } from '@assent/policy'
import type { WantedApproval } from '../model.ts'

/** Everything about the approval that does not depend on the call. */
export type RequiredApproval = Omit<WantedApproval, 'title' | 'definitionDigest'> & {
  readonly decideWithinMs?: number
  readonly needsPresence?: true
}

export function requiredApproval(
  asks: readonly PolicyAsk[],
  requirements: readonly ApprovalRequirement[],
): RequiredApproval {
  const terms = asks.map((ask) => ask.terms)
  const least = (all: readonly (number | undefined)[]) => {
    const given = all.filter((one) => one !== undefined)
    return given.length === 0 ? undefined : Math.min(...given)
  }
  const decideWithinMs = least(terms.map((one) => one.decideWithinMs))
  const useWithinMs = least(terms.map((one) => one.useWithinMs))
  return {
    policies: asks.map(({ policy }) => policy),
    requirements,
    declines: least(terms.map(({ declines }) => declines)) ?? 1,
    ...(decideWithinMs === undefined ? {} : { decideWithinMs }),
    ...(useWithinMs === undefined ? {} : { useWithinMs }),
    ...(terms.some(({ needsReason }) => needsReason) ? { needsReason: true } : {}),
    ...(terms.some(({ needsPresence }) => needsPresence) ? { needsPresence: true } : {}),
    ...(terms.every(({ surfaces }) => surfaces.includes('client')) ? { isOnClient: true } : {}),
  }
}

/** Whether an approval that was given under `approved` meets what is required now: nothing has become stricter. */
export function isCovered(now: RequiredApproval, approved: RequiredApproval): boolean {
  const met = new Set(approved.requirements.map((one) => canonicalJson(one)))
  if (!now.requirements.every((one) => met.has(canonicalJson(one)))) return false
  if (now.needsPresence === true && approved.needsPresence !== true) return false
  if (now.needsReason === true && approved.needsReason !== true) return false
  return now.isOnClient === true || approved.isOnClient !== true
}
