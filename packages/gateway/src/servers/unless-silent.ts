// One exchange with a server that may stop saying anything: it hangs, or the network to it has died without a word.
//
// Tools may take long, so a sign of life gives them their whole time again. A server that gave none is given up; what it did
// is then not known, and the caller hears exactly that.

import { type Call, failed, mayAsk, type Outcome } from '../relay/exchange.ts'
import type { Timeouts } from '../upstream/timeouts.ts'
import { errorCodes } from '../wire/messages.ts'

export async function unlessSilent(
  name: string,
  call: Call,
  { silentMs, replyMs }: Pick<Timeouts, 'silentMs' | 'replyMs'>,
  ask: (call: Call) => Promise<Outcome>,
): Promise<Outcome> {
  const limitMs = mayAsk(call.method) ? silentMs : replyMs
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  let heardAt = performance.now()
  let timer: NodeJS.Timeout
  const look = () => {
    const leftMs = heardAt + limitMs - performance.now()
    if (leftMs > 0) {
      timer = setTimeout(look, leftMs)
      return
    }
    resolve(givenUp(name, call, limitMs))
    leave()
  }
  timer = setTimeout(look, limitMs)
  // Not with AbortSignal.any, which costs several times as much.
  call.signal.addEventListener('abort', leave, { once: true })
  if (call.signal.aborted) leave()
  const notify: Call['notify'] = (notification) => {
    heardAt = performance.now()
    call.notify(notification)
  }
  ask({ ...call, notify, signal: leaving.signal }).then(resolve, reject)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    call.signal.removeEventListener('abort', leave)
  }
}

function givenUp(name: string, { method }: Call, limitMs: number): Outcome {
  if (!mayAsk(method)) return { ...failed(errorCodes.refused, 'The server took too long.'), isAway: true } as Outcome
  const silence = `The server ${name} has said nothing for ${Math.round(limitMs / 1_000)} s, so the call was given up.`
  return failed(errorCodes.refused, `${silence} Whether it did anything is not known: look before you make it again.`)
}
