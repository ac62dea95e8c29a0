// How long a call of this client can be held before the client gives it up.

import type { Patience } from './traits.ts'

/** What reaches the client while a person is waited for. */
export interface Keeping {
  /** Progress on a token that the client gave. */
  readonly progress: boolean
  readonly over: 'http' | 'stdio'
}

/** Between our answer and the end of the client's patience. */
const marginMs = 10_000

/** From the beginning of the call; endless where what we send makes the client go on waiting. */
export function holdableMs({ quietMs, extendedBy, isOfHttpAlone }: Patience, { progress, over }: Keeping): number {
  if (quietMs === undefined || (isOfHttpAlone === true && over === 'stdio')) return Number.POSITIVE_INFINITY
  if (extendedBy === 'progress' && progress) return Number.POSITIVE_INFINITY
  // A comment on the stream, every quarter of a minute.
  if (extendedBy === 'bytes' && over === 'http') return Number.POSITIVE_INFINITY
  return Math.max(quietMs - marginMs, quietMs / 2)
}
