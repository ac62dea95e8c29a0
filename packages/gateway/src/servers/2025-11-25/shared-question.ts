// A question that any one of several calls may have asked.

import { candidateCalls } from '../../call/candidate-calls.ts'
import type { Call, Shared } from '../../call/model.ts'

type Called = Pick<Call, 'method' | 'params' | 'leavesAfterMs'>

export class SharedQuestion implements Shared {
  readonly oneOf: Shared['oneOf']
  /** The shortest remaining wait of their callers. */
  readonly leavesAfterMs: () => number | undefined
  isOpen = true

  constructor(askers: readonly { readonly called: Called }[]) {
    const calls = askers.map(({ called }) => called)
    this.oneOf = candidateCalls(calls)
    this.leavesAfterMs = () => {
      const waits = calls.map((call) => call.leavesAfterMs?.()).filter((ms) => ms !== undefined)
      return waits.length === 0 ? undefined : Math.min(...waits)
    }
  }
}
