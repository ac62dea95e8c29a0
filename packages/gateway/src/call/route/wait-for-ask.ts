// Waits for a person's answer while the store may be unavailable.
//
// Short store outages are retried, because the person's time keeps running. The wait never exceeds its timeout, and a
// failed read is never treated as an answer.

import { type Ask, AssentError } from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'
import { sleep } from '../../protocol/sleep.ts'

/** Returns `unknown` when the timeout or the abort came before the store could be read. */
export async function waitForAsk(
  { asks }: Store,
  { tenant, id }: { readonly tenant: string; readonly id: string },
  timeoutMs: number,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<Ask | 'unknown' | undefined> {
  let isReported = false
  const endsAt = performance.now() + timeoutMs
  for (;;) {
    const leftMs = Math.max(0, endsAt - performance.now())
    try {
      return await withinOrFail(asks.wait(tenant, id, { timeoutMs: leftMs, signal }), leftMs, signal)
    } catch (error) {
      // Report only the first failure of this wait.
      if (!isReported) onError(error)
      isReported = true
    }
    if (performance.now() >= endsAt || signal.aborted) return 'unknown'
    await sleep(Math.min(relayLimits.storeRetryMs, endsAt - performance.now()), signal)
  }
}

/** Limits how long a call waits for the store, so that cleanup cannot delay its end. */
export async function withinOrFail<T>(work: Promise<T>, leftMs: number, signal?: AbortSignal): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timeOut = () => reject(new AssentError('store_unavailable', 'The store did not respond in time.'))
  const longestMs = 2 ** 31 - 1
  const timer = setTimeout(timeOut, Math.min(leftMs + relayLimits.storeGraceMs, longestMs))
  let ending: NodeJS.Timeout | undefined
  const abort = () => {
    ending = setTimeout(timeOut, relayLimits.storeGraceMs)
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
