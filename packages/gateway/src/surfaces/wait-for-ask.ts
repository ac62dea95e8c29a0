// Waiting for a person while the store itself may be away.
//
// Short trouble is waited out: the person's time goes on. But nothing waits longer than it was told to, whatever the store
// does; and what the store could not say is never taken for an answer.

import { type Ask, AssentError } from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../limits.ts'

/** `unknown` when the time was up, or nobody waited any more, before the store could say how things stand. */
export async function waitForAsk(
  { asks }: Store,
  { tenant, id }: { readonly tenant: string; readonly id: string },
  timeoutMs: number,
  signal: AbortSignal,
  onTrouble: (error: unknown) => void,
): Promise<Ask | 'unknown' | undefined> {
  let isTold = false
  const endsAt = performance.now() + timeoutMs
  for (;;) {
    const leftMs = Math.max(0, endsAt - performance.now())
    try {
      return await within(asks.wait(tenant, id, { timeoutMs: leftMs, signal }), leftMs, signal)
    } catch (error) {
      // The next look says the same as this one would have.
      if (!isTold) onTrouble(error)
      isTold = true
    }
    if (performance.now() >= endsAt || signal.aborted) return 'unknown'
    await pause(Math.min(relayLimits.storeRetryMs, endsAt - performance.now()), signal)
  }
}

/** What is tidied up behind a call must not hold up its end. */
export async function within<T>(work: Promise<T>, leftMs: number, signal?: AbortSignal): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(new AssentError('store_unavailable', 'The store did not answer in time.'))
  const longestMs = 2 ** 31 - 1
  const timer = setTimeout(giveUp, Math.min(leftMs + relayLimits.storeGraceMs, longestMs))
  let ending: NodeJS.Timeout | undefined
  const abort = () => {
    ending = setTimeout(giveUp, relayLimits.storeGraceMs)
  }
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted === true) abort()
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    clearTimeout(ending)
    signal?.removeEventListener('abort', abort)
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, Math.max(0, ms))
  const abort = () => resolve()
  signal.addEventListener('abort', abort, { once: true })
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', abort)
}
