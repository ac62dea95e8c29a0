// The attempts of one step: each gets the same key, its own signal and its number, and may have a timeout.
//
// Never throws for what the work does: that is its outcome.

import { AsyncLocalStorage } from 'node:async_hooks'
import { AssentError, digestOf, isAssentError } from '@assent/core'
import type { StepContext, StepOptions } from '../ask/step.ts'
import { sdkLimits } from '../limits.ts'
import { doneEntry, failedEntry, type StepOutcome } from './step-entry.ts'

export interface StepWork {
  readonly name: string
  readonly callId: string
  readonly work: (context: StepContext) => unknown
  readonly options: StepOptions
  readonly signal: AbortSignal
}

const working = new AsyncLocalStorage<string>()

/** The name of the step whose work is running, if any. */
export function currentStep(): string | undefined {
  return working.getStore()
}

export function checkStepOptions({ retry, timeoutMs, onCrash, maxResultChars }: StepOptions): void {
  if (retry !== undefined && !(Number.isSafeInteger(retry) && retry >= 0 && retry <= sdkLimits.stepRetries))
    throw new AssentError('misconfigured', `\`retry\` of a step is from 0 to ${sdkLimits.stepRetries}.`)
  if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs < 2 ** 31))
    throw new AssentError('misconfigured', '`timeoutMs` of a step is a positive whole number of milliseconds.')
  if (onCrash !== undefined && onCrash !== 'stop' && onCrash !== 'retry')
    throw new AssentError('misconfigured', "`onCrash` of a step is 'stop' or 'retry'.")
  if (maxResultChars !== undefined && !(Number.isSafeInteger(maxResultChars) && maxResultChars >= 0))
    throw new AssentError('misconfigured', '`maxResultChars` of a step is a whole number.')
}

export function stepKey(callId: string, name: string): string {
  return digestOf('step key v1', [callId, name])
}

export async function attemptStep({ name, callId, work, options, signal }: StepWork): Promise<StepOutcome> {
  const key = stepKey(callId, name)
  const attempts = 1 + (options.retry ?? 0)
  for (let attempt = 1; ; attempt++) {
    try {
      const value = await attemptOnce(name, work, { key, signal, attempt }, options.timeoutMs)
      return doneEntry(name, value)
    } catch (error) {
      // A refused approval stays refused.
      const isFinal = attempt === attempts || signal.aborted || isAssentError(error, 'grant_refused')
      if (isFinal) return failedEntry(error)
      await pause(Math.min(sdkLimits.retryFirstMs * 2 ** (attempt - 1), sdkLimits.retryMostMs), signal)
    }
  }
}

async function attemptOnce(
  name: string,
  work: StepWork['work'],
  context: StepContext,
  timeoutMs: number | undefined,
): Promise<unknown> {
  if (timeoutMs === undefined) return working.run(name, async () => work(context))
  const timeout = new AbortController()
  const timedOut = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = Object.assign(new Error(`"${name}" did not finish within ${timeoutMs} ms.`), { code: 'timed_out' })
    timeout.abort(error)
    timedOut.reject(error)
  }, timeoutMs)
  try {
    const signal = AbortSignal.any([context.signal, timeout.signal])
    const done = working.run(name, async () => work({ ...context, signal }))
    // It may still fail after its timeout.
    done.catch(() => undefined)
    return await Promise.race([done, timedOut.promise])
  } finally {
    clearTimeout(timer)
  }
}

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done, { once: true })
  })
}
