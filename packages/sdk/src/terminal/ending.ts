// What ends a question from outside: its deadline, or an asker who does not need the answer any more.

import { terminalLimits } from './limits.ts'

const sameMomentMs = 50

export type OutsideEnd = 'expired' | 'withdrawn'

export interface Ending {
  readonly signal: AbortSignal
  /** Set once `signal` is aborted. */
  readonly why: OutsideEnd
  /** Settles when `signal` is aborted. */
  readonly come: Promise<void>
  stop(): void
}

export function watchEnding(
  decideByMs: number | undefined,
  signal: AbortSignal | undefined,
  now: () => number,
): Ending {
  const controller = new AbortController()
  const { promise, resolve } = Promise.withResolvers<void>()
  let why: OutsideEnd = 'withdrawn'
  let timer: NodeJS.Timeout | undefined

  const end = (reason: OutsideEnd) => {
    if (controller.signal.aborted) return
    why = reason
    controller.abort()
    resolve()
  }
  // Whoever asked keeps the same deadline, and may take the question back a moment before our timer fires.
  const withdraw = () => end(decideByMs !== undefined && now() >= decideByMs - sameMomentMs ? 'expired' : 'withdrawn')
  // Judged by the clock each time it fires: a timer may be early, and can be set for some weeks only.
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
    come: promise,
    stop() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', withdraw)
    },
  }
}
