// What is stored of a finished step: its result as JSON, or its error by name, code, message and data.
//
// A handler gets the same in every round, also in the one in which the step ran: the parsed JSON, or an error
// whose `cause` has been rebuilt from what was stored.

import {
  AssentError,
  askLimits,
  isAssentError,
  isPlainObject,
  type JsonValue,
  parseJsonStrictly,
  type ReadingRules,
  readJson,
} from '@assent/core'
import { decodeCause } from '../journal/encode.ts'
import type { FailureCause, StepEntry } from '../journal/journal.ts'
import { sdkLimits } from '../limits.ts'

export interface StepOutcome {
  readonly entry: StepEntry
  /** Of the original error, in the process where the step ran. */
  readonly stack?: string | undefined
}

/** What `JSON.stringify` wrote. Limits are checked before it is stored, not when it is read again. */
const ownText: ReadingRules = { depth: Number.POSITIVE_INFINITY, halfPairs: 'keep', numbers: 'exact' }

/** A value as a step returns it, without storing it. */
export function asStepResult(value: unknown): JsonValue | undefined {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? undefined : readJson(text, ownText)
}

/**
 * The result by the rules of `JSON.stringify`: undefined members are dropped, a `Date` is a string. Only a store limits its
 * size; where the state has no room for it, a later question ends the call.
 */
export function doneEntry(label: string, value: unknown, isStored: boolean): StepOutcome {
  try {
    const text = JSON.stringify(value) as string | undefined
    if (text === undefined) return { entry: { kind: 'done' } }
    if (isStored) checkStorable(text)
    return { entry: { kind: 'done', result: readJson(text, isStored ? storedText : ownText) } }
  } catch (error) {
    const { entry, stack } = failedEntry(error)
    return {
      entry: {
        ...entry,
        message: wellFormed(`"${label}" was done, but its result cannot be stored: ${entry.message}`),
      },
      stack,
    }
  }
}

const storedText: ReadingRules = { ...ownText, depth: askLimits.actionDepth }

function checkStorable({ length }: string): void {
  const most = sdkLimits.stepResultChars
  if (length <= most) return
  const advice = 'Keep it elsewhere and return its name.'
  throw new AssentError('limit_exceeded', `As JSON it has ${length} characters, and a store keeps ${most}. ${advice}`)
}

export function failedEntry(error: unknown): {
  entry: Extract<StepEntry, { kind: 'failed' }>
  stack?: string | undefined
} {
  const text = tryTo(() => String(isError(error) ? error.message : error))
  const message = wellFormed(text ?? 'What was thrown cannot be read.')
  if (isGrantRefused(error)) return { entry: { kind: 'failed', code: 'grant_refused', message } }
  const stack = isError(error) ? tryTo(() => error.stack) : undefined
  const hasStack = typeof stack === 'string'
  return {
    entry: { kind: 'failed', code: 'step_failed', message, cause: causeOf(error) },
    ...(hasStack ? { stack } : {}),
  }
}

export function isGrantRefused(error: unknown): boolean {
  return tryTo(() => isAssentError(error, 'grant_refused')) === true
}

// Any value can be thrown: a proxy, an object without `toString`, an error whose `code` is a getter that throws.

function isError(error: unknown): error is Error {
  return tryTo(() => error instanceof Error) === true
}

function tryTo<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function causeOf(error: unknown): FailureCause {
  if (!isError(error)) return { name: 'Error', ...dataOf(error) }
  const thrown = error as { readonly code?: unknown; readonly data?: unknown }
  const code = tryTo(() => thrown.code)
  const isShortText = typeof code === 'string' && code.length <= sdkLimits.errorCodeChars
  return {
    name: tryTo(() => String(error.name).toWellFormed().slice(0, sdkLimits.errorCodeChars)) ?? 'Error',
    ...(isShortText ? { code: code.toWellFormed() } : {}),
    ...(typeof code === 'number' && Number.isFinite(code) ? { code } : {}),
    ...dataOf(tryTo(() => thrown.data)),
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
  const stored = readJson(outcome, ownText)
  if (!isPlainObject(stored)) throw new AssentError('step_unclear', 'The stored result of a step cannot be read.')
  if (stored.kind !== 'failed')
    return { kind: 'done', ...('result' in stored ? { result: stored.result as JsonValue } : {}) }
  const code = stored.code === 'grant_refused' ? 'grant_refused' : 'step_failed'
  return { kind: 'failed', code, message: String(stored.message), ...decodeCause(stored.cause) }
}

function wellFormed(message: string): string {
  return message.toWellFormed().slice(0, sdkLimits.errorMessageChars)
}
