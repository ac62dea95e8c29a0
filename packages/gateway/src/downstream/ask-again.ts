// A question whose answer did not fit, put to the same client once more with the reason.

import type { Wanted } from '../relay/exchange.ts'

/** The message begins with what was wrong, because a client shows nothing else. */
export function withReason<W extends Wanted>(wanted: W, reason: string | undefined): W {
  if (reason === undefined || wanted.kind !== 'form') return wanted
  const message = `Your last answer does not fit. ${reason}\n\n${wanted.message}`
  return { ...wanted, message, params: { ...wanted.params, message } }
}
