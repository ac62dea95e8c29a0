// An inactivity timeout for one exchange with a server that may hang, or whose network connection may be lost
// unnoticed.
//
// Tools may take long, so every notification restarts the timeout. When it expires, the call is abandoned. What the
// server did is then unknown, and the error states that.

import { type Call, failed, mayAsk, type Outcome } from '../call/model.ts'
import { errorCodes } from '../protocol/messages.ts'
import type { Timeouts } from './timeouts.ts'

export async function unlessSilent(
  name: string,
  call: Call,
  { silentMs, replyMs }: Pick<Timeouts, 'silentMs' | 'replyMs'>,
  ask: (call: Call) => Promise<Outcome>,
): Promise<Outcome> {
  const limitMs = mayAsk(call.method) ? silentMs : replyMs
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const cancelled = new AbortController()
  const leave = () => cancelled.abort()
  let lastMessageAt = performance.now()
  let timer: NodeJS.Timeout
  const check = () => {
    const leftMs = lastMessageAt + limitMs - performance.now()
    if (leftMs > 0) {
      timer = setTimeout(check, leftMs)
      return
    }
    resolve(abandoned(name, call, limitMs))
    leave()
  }
  timer = setTimeout(check, limitMs)
  // Not with AbortSignal.any, which costs several times as much.
  call.signal.addEventListener('abort', leave, { once: true })
  if (call.signal.aborted) leave()
  const notify: Call['notify'] = (notification) => {
    lastMessageAt = performance.now()
    call.notify(notification)
  }
  ask({ ...call, notify, signal: cancelled.signal }).then(resolve, reject)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    call.signal.removeEventListener('abort', leave)
  }
}

function abandoned(name: string, { method }: Call, limitMs: number): Outcome {
  if (!mayAsk(method)) return { ...failed(errorCodes.refused, 'The server timed out.'), isAway: true }
  const reason = `The server ${name} sent nothing for ${Math.round(limitMs / 1_000)} s, so the call was cancelled.`
  return failed(errorCodes.refused, `${reason} Whether it did anything is not known: check before calling it again.`)
}
