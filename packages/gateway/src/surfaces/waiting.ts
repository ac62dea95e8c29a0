// Keeps a caller patient while its call is held for a person: progress on the token it gave, if it gave one.
//
// The protocol wants each report to be larger than the one before, the server's own included; ours move by so little that
// the server's next one is larger still.

import { downstreamLimits } from '../limits.ts'
import type { Call } from '../relay/exchange.ts'
import { objectAt } from '../wire/messages.ts'

const step = 1e-6

/** Returns how to stop. */
export function tellOfWaiting(call: Call): () => void {
  const token = objectAt(call.params, '_meta')?.progressToken
  if (typeof token !== 'string' && typeof token !== 'number') return () => undefined
  const timer = setInterval(() => {
    const progress = (call.progressed?.() ?? 0) + step
    const message = 'Waiting for a person to answer in the inbox.'
    call.notify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: token, progress, message },
    })
  }, downstreamLimits.keepAliveMs)
  return () => clearInterval(timer)
}
