// The attempts of one step: each gets the same key, its own signal and its number, and may have a timeout.
//
// Never throws for what the work does: that is its outcome.

import { AsyncLocalStorage } from 'node:async_hooks'
import { AssentError, digestOf } from '@assent/core'
import type { StepContext, StepOptions } from '../ask/step.ts'
import { sdkLimits } from '../limits.ts'
import { doneEntry, failedEntry, isGrantRefused, type StepOutcome } from './step-entry.ts'

export interface StepWork {
  readonly name: string
  /** What errors call it. */
  readonly label: string
  readonly callId: string
  readonly work: (context: StepContext) => unknown
  readonly options: StepOptions
  /** Whether the outcome goes into a store. */
  readonly isStored?: boolean
  readonly signal: AbortSignal
  /** Whether the round or call has already failed: no work starts then. */
  readonly hasFailed: () => boolean
}

const working = new AsyncLocalStorage<{ readonly callId: string; readonly name: string }>()

/** The name of the step of this call whose work is running, if any. The work may call another tool, which is another call. */
export function currentStep(callId: string): string | undefined {
  const current = working.getStore()
  return current?.callId === callId ? current.name : undefined
}

export function checkWork(work: unknown): void {
  if (typeof work === 'function') return
  throw new AssentError('misconfigured', 'The second argument of a step or gate is a function: its work.')
}

export function checkStepOptions({ retry, timeoutMs, onCrash, maxResultChars }: StepOptions): void {
  if (retry !== undefined && !(Number.isSafeInteger(retry) && retry >= 0 && retry <= sdkLimits.stepRetries))
    throw new AssentError('misconfigured', `\`retry\` of a step is from 0 to ${sdkLimits.stepRetries}.`)
  if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs < 2 ** 31))
    throw new AssentError('misconfigured', '`timeoutMs` of a step is a positive whole number of milliseconds.')
  if (onCrash !== undefined && onCrash !== 'stop' && onCrash !== 'retry')
    throw new AssentError('misconfigured', "`onCrash` of a step is 'stop' or 'retry'.")
  if (maxResultChars !== undefined) checkResultChars(maxResultChars)
}

function checkResultChars(chars: number): void {
  const most = sdkLimits.stepResultChars
  if (Number.isSafeInteger(chars) && chars >= 0 && chars <= most) return
  const advice = 'Keep a larger result elsewhere and return its name.'
  throw new AssentError('misconfigured', `\`maxResultChars\` of a step is a whole number up to ${most}. ${advice}`)
}

export function stepKey(callId: string, name: string): string {
  return digestOf('step key v1', [callId, name])
}

/** @param first 2 for a step that was taken over: the process that began it made the first attempt */
export async function attemptStep(step: StepWork, first: 1 | 2 = 1): Promise<StepOutcome> {
  const { name, label, callId, options, isStored = false, signal } = step
  const key = stepKey(callId, name)
  const attempts = first + (options.retry ?? 0)
  if (step.hasFailed()) return notRun(step, first)
  for (let attempt: number = first; ; attempt++) {
    try {
      const value = await attemptOnce(step, { key, signal, attempt })
      return doneEntry(label, value, isStored)
    } catch (error) {
      // A refused approval stays refused.
      const isFinal = attempt === attempts || signal.aborted || isGrantRefused(error)
      if (isFinal || step.hasFailed()) return failedEntry(error)
      await pause(Math.min(sdkLimits.retryFirstMs * 2 ** (attempt - first), sdkLimits.retryMostMs), signal)
      if (step.hasFailed()) return failedEntry(error)
    }
  }
}

/** The outcome of a step whose call had failed before its work could start. */
export function notRun({ label }: StepWork, first: 1 | 2 = 1): StepOutcome {
  const again = first === 1 ? '' : ' again'
  return failedEntry(new Error(`"${label}" was not run${again}: its call had already failed.`))
}

async function attemptOnce({ name, label, callId, work, options }: StepWork, context: StepContext): Promise<unknown> {
  const { timeoutMs } = options
  const inStep = (given: StepContext) => working.run({ callId, name }, async () => work(given))
  if (timeoutMs === undefined) return inStep(context)
  const timeout = new AbortController()
  const timedOut = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = Object.assign(new Error(`"${label}" did not finish within ${timeoutMs} ms.`), { code: 'timed_out' })
    timeout.abort(error)
    timedOut.reject(error)
  }, timeoutMs)
  try {
    const signal = AbortSignal.any([context.signal, timeout.signal])
    const done = inStep({ ...context, signal })
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
