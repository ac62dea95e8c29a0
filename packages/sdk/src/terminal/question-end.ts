// What ends a question from outside: its deadline, or an asker who does not need the answer any more.

import { terminalLimits } from './limits.ts'

const sameMomentMs = 50

export type EndReason = 'expired' | 'withdrawn'

export interface QuestionEnd {
  readonly signal: AbortSignal
  /** Set once `signal` is aborted. */
  readonly why: EndReason
  /** Settles when `signal` is aborted. */
  readonly ended: Promise<void>
  stop(): void
}

export function watchQuestionEnd(
  decideByMs: number | undefined,
  signal: AbortSignal | undefined,
  now: () => number,
): QuestionEnd {
  const controller = new AbortController()
  const { promise, resolve } = Promise.withResolvers<void>()
  let why: EndReason = 'withdrawn'
  let timer: NodeJS.Timeout | undefined

  const end = (reason: EndReason) => {
    if (controller.signal.aborted) return
    why = reason
    controller.abort()
    resolve()
  }
  // The asker has the same deadline and may withdraw the question a moment before our timer fires.
  const withdraw = () => end(decideByMs !== undefined && now() >= decideByMs - sameMomentMs ? 'expired' : 'withdrawn')
  // Compares with the clock each time the timer fires: it may fire early, and its longest delay is about 24 days.
  const watchClock = (atMs: number) => {
    const leftMs = atMs - now()
    if (leftMs <= 0) return end('expired')
    timer = setTimeout(() => watchClock(atMs), Math.min(leftMs, terminalLimits.timerMaxMs))
  }

  if (signal?.aborted === true) withdraw()
  else signal?.addEventListener('abort', withdraw)
  if (decideByMs !== undefined) watchClock(decideByMs)

  return {
    signal: controller.signal,
    get why() {
      return why
    },
    ended: promise,
    stop() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', withdraw)
    },
  }
}
