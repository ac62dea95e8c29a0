// What is stored of a finished step: its result as JSON, or its error by name, code, message and data.
//
// A handler gets the same in every round, also in the one in which the step ran: the parsed JSON, or an error
// whose `cause` has been rebuilt from what was stored.

import { AssentError, isAssentError, isPlainObject, type JsonValue, parseJsonStrictly } from '@assent/core'
import { decodeCause } from '../journal/encode.ts'
import type { FailureCause, StepEntry } from '../journal/journal.ts'
import { sdkLimits } from '../limits.ts'

export interface StepOutcome {
  readonly entry: StepEntry
  /** Of the original error, in the process where the step ran. */
  readonly stack?: string | undefined
}

/** The result by the rules of `JSON.stringify`: undefined members are dropped, a `Date` is a string. */
export function doneEntry(name: string, value: unknown): StepOutcome {
  try {
    const text = JSON.stringify(value) as string | undefined
    return { entry: text === undefined ? { kind: 'done' } : { kind: 'done', result: parseJsonStrictly(text) } }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const { entry, stack } = failedEntry(error)
    return {
      entry: { ...entry, message: wellFormed(`"${name}" was done, but its result cannot be stored: ${why}`) },
      stack,
    }
  }
}

export function failedEntry(error: unknown): {
  entry: Extract<StepEntry, { kind: 'failed' }>
  stack?: string | undefined
} {
  const message = wellFormed(error instanceof Error ? error.message : String(error))
  if (isAssentError(error, 'grant_refused')) return { entry: { kind: 'failed', code: 'grant_refused', message } }
  const stack = error instanceof Error ? error.stack : undefined
  return { entry: { kind: 'failed', code: 'step_failed', message, cause: causeOf(error) }, stack }
}

function causeOf(error: unknown): FailureCause {
  if (!(error instanceof Error)) return { name: 'Error', ...dataOf(error) }
  const { code, data } = error as { code?: unknown; data?: unknown }
  const hasCode = typeof code === 'number' || (typeof code === 'string' && code.length <= sdkLimits.errorCodeChars)
  return {
    name: String(error.name).toWellFormed().slice(0, sdkLimits.errorCodeChars),
    ...(hasCode ? { code: typeof code === 'string' ? code.toWellFormed() : code } : {}),
    ...dataOf(data),
  }
}

/** Left out if it is not JSON or too large: an error must be storable in any case. */
function dataOf(data: unknown): { readonly data?: JsonValue } {
  try {
    const text = JSON.stringify(data) as string | undefined
    if (text === undefined || text.length > sdkLimits.errorDataChars) return {}
    return { data: parseJsonStrictly(text) }
  } catch {
    return {}
  }
}

/** The result of a step, or its error. */
export function stepResult({ entry, stack }: StepOutcome): JsonValue | undefined {
  if (entry.kind === 'done') return entry.result
  if (entry.kind === 'stored') throw new AssentError('step_unclear', 'The stored result of a step cannot be read.')
  const { code, message, cause } = entry
  if (cause === undefined) throw new AssentError(code, message)
  const { name, ...members } = cause
  const rebuilt = Object.assign(new Error(message), members)
  Object.defineProperty(rebuilt, 'name', { value: name, configurable: true, writable: true })
  if (stack !== undefined) rebuilt.stack = stack
  throw new AssentError(code, message, { cause: rebuilt })
}

/** Reads what `runStep` stored for a finished step. */
export function decodeEntry(outcome: string): StepEntry {
  const stored = parseJsonStrictly(outcome)
  if (!isPlainObject(stored)) throw new AssentError('step_unclear', 'The stored result of a step cannot be read.')
  if (stored.kind !== 'failed')
    return { kind: 'done', ...('result' in stored ? { result: stored.result as JsonValue } : {}) }
  const code = stored.code === 'grant_refused' ? 'grant_refused' : 'step_failed'
  return { kind: 'failed', code, message: String(stored.message), ...decodeCause(stored.cause) }
}

function wellFormed(message: string): string {
  return message.toWellFormed().slice(0, sdkLimits.errorMessageChars)
}
