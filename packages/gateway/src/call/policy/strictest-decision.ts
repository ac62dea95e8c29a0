// One decision about a call whose target can be written in several ways: deny beats ask, and ask beats allow.

import type { PolicyAsk, PolicyCall, PolicyDecision } from '@assent/policy'
import { spellingsOf } from './resource-address.ts'

interface Decider {
  decide(call: PolicyCall): PolicyDecision
}

/** About a resource: for each spelling of its address, because the server may take them for the same one. */
export function decisionOn(policies: Decider, call: PolicyCall): PolicyDecision {
  const first = policies.decide(call)
  if (call.kind !== 'resources') return first
  const others = spellingsOf(call.name).slice(1)
  return strictest(
    first,
    others.map((name) => policies.decide({ ...call, name })),
  )
}

/** @param first the decision about the target as the caller wrote it */
function strictest(first: PolicyDecision, others: readonly PolicyDecision[]): PolicyDecision {
  // What no policy permits under another spelling is permitted as the caller wrote it.
  const all = [first, ...others.filter((one) => one.effect !== 'deny' || one.because !== 'not-permitted')]
  const deny = all.find((one) => one.effect === 'deny')
  if (deny !== undefined) return deny
  const asking = all.filter((one) => one.effect === 'ask')
  const [ask] = asking
  if (ask === undefined) return first
  const asks = new Map<string, PolicyAsk>(asking.flatMap((one) => one.asks.map((each) => [each.policy, each] as const)))
  return { ...ask, asks: [...asks.values()] }
}
