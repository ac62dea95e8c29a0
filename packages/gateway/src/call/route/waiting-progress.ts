// Sends progress notifications while a call is held for a person, so that the caller's timeout does not fire. Only for
// callers that sent a progress token.
//
// The protocol requires each value to be larger than the one before, the server's included. Our steps are so small that
// the server's next value is still larger.

import { clientLimits } from '../../limits.ts'
import { objectAt } from '../../protocol/messages.ts'
import type { Call } from '../model.ts'

const step = 1e-6

/**
 * Returns a function that stops the notifications.
 *
 * @param askLink where the person answers; read each time, because the inbox may open later
 * @param needs the approvals that a policy requires, in words
 */
export function reportWaiting(call: Call, askLink: () => string | undefined, needs?: string): () => void {
  const token = objectAt(call.params, '_meta')?.progressToken
  if (typeof token !== 'string' && typeof token !== 'number') return () => undefined
  const timer = setInterval(() => {
    const progress = (call.progressed?.() ?? 0) + step
    const link = askLink()
    const what = needs === undefined ? 'a person to answer in the inbox' : needs
    const message = `Waiting for ${what}${link === undefined ? '.' : `: ${link}`}`
    call.notify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: token, progress, message },
    })
  }, clientLimits.keepAliveMs)
  return () => clearInterval(timer)
}
