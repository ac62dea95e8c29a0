// How long a call of this client can be held before the client times out.

import type { RequestTimeouts } from './traits.ts'

/** What the client receives while the gateway waits for a person. */
export interface Keeping {
  /** Progress notifications on a token that the client sent. */
  readonly progress: boolean
  readonly over: 'http' | 'stdio'
}

/** Margin between our reply and the client's timeout. */
const marginMs = 10_000

/** Measured from the start of the call; infinite where our messages extend the client's timeout. */
export function holdableMs(
  { quietMs, extendedBy, isOfHttpAlone }: RequestTimeouts,
  { progress, over }: Keeping,
): number {
  if (quietMs === undefined || (isOfHttpAlone === true && over === 'stdio')) return Number.POSITIVE_INFINITY
  if (extendedBy === 'progress' && progress) return Number.POSITIVE_INFINITY
  // A comment on the stream, every 15 seconds.
  if (extendedBy === 'bytes' && over === 'http') return Number.POSITIVE_INFINITY
  return Math.max(quietMs - marginMs, quietMs / 2)
}
