// Policies under which a planted bug shows early: most votes count, and the rule has the part that the bug breaks.

import type { PlainAsk, PlainFactor, PlainPolicies } from './rules.ts'

export const asksOf = (change: (ask: PlainAsk) => PlainAsk) => (policies: PlainPolicies) => ({
  ...policies,
  asks: policies.asks.map((ask) => change(ask)),
})

/** Who may approve does not matter for the bug, so that most votes count. */
export const members = ['group:release', 'group:security', 'group:directors']
export const oneOf = (...from: string[]): PlainFactor => ({ from, approvals: 1 })
/** Each ask needs these factors. */
export const needing = (...factors: readonly PlainFactor[]) =>
  asksOf((ask) => ({ ...ask, anyOf: [factors], exclude: [] }))
export const oneFrom = (ask: PlainAsk, from: string): PlainAsk => ({
  ...ask,
  name: from,
  anyOf: [[oneOf(from)]],
  exclude: [],
  isConditional: false,
})
export const oneMember = needing(oneOf(...members))
