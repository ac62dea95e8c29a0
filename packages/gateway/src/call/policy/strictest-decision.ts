// One decision about a call whose target can be written in several ways: deny beats ask, and ask beats allow.

import type { PolicyAsk, PolicyCall, PolicyDecision } from '@assent/policy'
import { spellingsOf } from './resource-address.ts'
import { hasNoAnswer } from './text/policy-gate.ts'

interface Decider {
  decide(call: PolicyCall, stop?: AbortSignal): PolicyDecision | Promise<PolicyDecision>
}

/** About a resource: for each spelling of its address, because the server may take them for the same one. */
export async function decisionOn(policies: Decider, call: PolicyCall, signal: AbortSignal): Promise<PolicyDecision> {
  const first = await policies.decide(call, signal)
  if (call.kind !== 'resources') return first
  const others: PolicyDecision[] = []
  for (const name of spellingsOf(call.name).slice(1)) others.push(await policies.decide({ ...call, name }, signal))
  return strictest(first, others)
}

/** @param first the decision about the target as the caller wrote it */
function strictest(first: PolicyDecision, others: readonly PolicyDecision[]): PolicyDecision {
  // What no policy permits under another spelling is permitted as the caller wrote it.
  const all = [first, ...others.filter((one) => one.effect !== 'deny' || one.because !== 'not-permitted')]
  const denied = all.filter((one) => one.effect === 'deny')
  // A denial for lack of an answer may end; any other stays.
  const [deny] = [...denied.filter((one) => !hasNoAnswer(one)), ...denied]
  if (deny !== undefined) return deny
  const asking = all.filter((one) => one.effect === 'ask')
  const [ask] = asking
  if (ask === undefined) return first
  const asks = new Map<string, PolicyAsk>(asking.flatMap((one) => one.asks.map((each) => [each.policy, each] as const)))
  return { ...ask, asks: [...asks.values()] }
}
