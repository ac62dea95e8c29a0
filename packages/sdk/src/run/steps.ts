// Steps: work whose result is kept, so that it is done once however often the handler runs.
//
// A result is stored as JSON and returned as parsed JSON, also the first time, so a handler sees the same value
// in every round. A step that failed stays failed in this call; retrying it needs a new call. With a store, the claim
// comes before the work; a step that was started and not finished is not run again, because its progress is unknown.

import { AsyncLocalStorage } from 'node:async_hooks'
import {
  AssentError,
  canonicalJson,
  isAssentError,
  isPlainObject,
  type JsonValue,
  parseJsonStrictly,
} from '@assent/core'
import type { Ending } from '../ask/ending.ts'
import { decodeEnding, encodeEnding } from '../journal/encode.ts'
import type { FailureCode, StepEntry } from '../journal/journal.ts'
import { sdkLimits } from '../limits.ts'
import type { StepKey } from '../server/durable.ts'
import type { StepRecord } from '../server/step-record.ts'

const working = new AsyncLocalStorage<string>()

/** The name of the step whose work is running, if any. */
export function currentStep(): string | undefined {
  return working.getStore()
}

export function checkStepName(name: string): string {
  if (typeof name === 'string' && name !== '' && name.length <= sdkLimits.stepNameChars && name.isWellFormed())
    return name
  throw new AssentError('misconfigured', `A step needs a name of at most ${sdkLimits.stepNameChars} characters.`)
}

export function duplicateStepName(name: string): AssentError {
  return new AssentError('misconfigured', `Two steps of this handler are called "${name}".`)
}

export function askInStep(step: string): AssentError {
  return new AssentError('misconfigured', `The step "${step}" asks a question. Ask before the step or after it.`)
}

/** `cause` is set only in the round in which the step failed; the error is otherwise the same in every round. */
export function stepResult(step: StepEntry, cause?: unknown): JsonValue | undefined {
  if (step.kind === 'done') return step.result
  throw new AssentError(step.code, step.message, cause === undefined ? undefined : { cause })
}

/** The first answer to a question of a call counts, also when a client sends an old state with another answer. */
export async function firstEnding(place: number, ending: Ending, record: StepRecord | undefined): Promise<Ending> {
  if (record === undefined) return ending
  const { steps, tenant, callId, owner, keepMs } = record
  const outcome = JSON.stringify(encodeEnding(ending))
  const kept = await steps.keep({ tenant, callId, name: `answer ${place + 1}`, owner, keepMs, outcome })
  if (kept === outcome) return ending
  const [code, more, comment] = parseJsonStrictly(kept ?? '[]') as readonly JsonValue[]
  return decodeEnding(code, more, comment)
}

export interface StepOutcome {
  readonly entry: StepEntry
  readonly cause?: unknown
}

/** Does the work, at most once where there is a record. Never throws for what the work does: that is its outcome. */
export async function runStep(name: string, work: () => unknown, record: StepRecord | undefined): Promise<StepOutcome> {
  if (record === undefined) return attempt(name, work)
  const key: StepKey = { tenant: record.tenant, callId: record.callId, name: `step ${name}` }
  const claim = await record.steps.claim({ ...key, owner: record.owner, keepMs: record.keepMs })
  if (claim.kind === 'finished') return { entry: decodeEntry(claim.outcome) }
  if (claim.kind === 'begun') {
    const since = new Date(claim.atMs).toISOString()
    throw new AssentError(
      'step_unclear',
      `The step "${name}" was begun at ${since} and has not finished: it is running elsewhere, or its process died ` +
        'in the middle. It is not run again. Look at what it changes, then start a new call if it is needed.',
    )
  }
  const attempted = await attempt(name, work)
  const isKept = await record.steps.finish({ ...key, owner: record.owner, outcome: JSON.stringify(attempted.entry) })
  if (!isKept) throw new AssentError('step_unclear', `The step "${name}" was done, but its result could not be kept.`)
  return attempted
}

/** Reads what `runStep` stored for a finished step. */
function decodeEntry(outcome: string): StepEntry {
  const stored = parseJsonStrictly(outcome)
  if (!isPlainObject(stored)) throw new AssentError('step_unclear', 'The stored result of a step cannot be read.')
  if (stored.kind !== 'failed')
    return { kind: 'done', ...('result' in stored ? { result: stored.result as JsonValue } : {}) }
  const code = stored.code === 'grant_refused' ? 'grant_refused' : 'step_failed'
  return { kind: 'failed', code, message: String(stored.message) }
}

async function attempt(name: string, work: () => unknown): Promise<StepOutcome> {
  let value: unknown
  try {
    value = await working.run(name, async () => work())
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = isAssentError(error, 'grant_refused') ? error.code : 'step_failed'
    return { entry: { kind: 'failed', code: code as FailureCode, message: wellFormed(message) }, cause: error }
  }
  if (value === undefined) return { entry: { kind: 'done' } }
  try {
    canonicalJson(value)
    return { entry: { kind: 'done', result: parseJsonStrictly(JSON.stringify(value)) } }
  } catch (error) {
    if (!isAssentError(error)) throw error
    const message = `The step "${name}" was done, but its result cannot be kept: ${error.message}`
    return { entry: { kind: 'failed', code: 'step_failed', message }, cause: error }
  }
}

function wellFormed(message: string): string {
  return message.toWellFormed().slice(0, sdkLimits.journalChars / 16)
}
