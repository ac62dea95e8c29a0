// The calls that may have asked a question, as they are kept with it: in the state of each of these calls, and on its card.
//
// I1  Of a request only what a card shows is kept. With its state, the states of these calls would contain each other, and
//     grow with every retry.
// I2  The arguments of all calls together are bounded. Those that are too large are left out, and the card says so.

import { askLimits, canonicalJson, isAssentError, type JsonObject } from '@assent/core'
import type { Call, Shared } from './model.ts'

export function candidateCalls(calls: readonly Pick<Call, 'method' | 'params'>[]): Shared['oneOf'] {
  const kept = calls.slice(-askLimits.oneOf)
  const bytes = Math.floor(askLimits.formCallBytes / Math.max(kept.length, 1))
  return kept.map(({ method, params }) => {
    const { arguments: given = {}, ...named } = shownParams(params)
    return {
      method,
      params: fits(given, { bytes, depth: askLimits.callDepth }) ? { ...named, arguments: given } : named,
    }
  })
}

/** What a card shows of a request: what it names and its arguments. */
export function shownParams(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([name]) => ['name', 'uri', 'arguments'].includes(name)))
}

/** Whether the value has a canonical form of this size. */
export function fits(value: unknown, size?: Parameters<typeof canonicalJson>[1]): boolean {
  try {
    canonicalJson(value, size)
    return true
  } catch (error) {
    if (isAssentError(error)) return false
    throw error
  }
}
