// Room in the state for the results of steps.
//
// A step runs only if its result has a place: one of the entries of the journal, and as many characters as its author declared.
// With a store, results that are large or that fill the state stay in the store instead.

import { AssentError, isAssentError, isPlainObject } from '@assent/core'
import type { OnceOptions } from '../ask/run.ts'
import { ownStepPrefix, pageStepPrefix, receiptStepPrefix } from '../ask/step.ts'
import { takenIn } from '../journal/encode.ts'
import type { Journal, StepEntry } from '../journal/journal.ts'
import { sdkLimits } from '../limits.ts'
import type { StepWork } from './step-attempts.ts'

/** Before the work. Throws if its result, or that of the step that follows it, would have no place. */
export function reserveRoom(
  journal: Journal,
  { name, options: { maxResultChars = 0 } }: StepWork,
  before: OnceOptions['before'],
  hasStore: boolean,
): void {
  // Reserved together with the step before it.
  if (journal.isReserved(name)) return
  const steps = new Map([[name, maxResultChars]])
  if (before !== undefined) steps.set(before.name, before.maxResultChars ?? 0)
  if (hasStore) for (const step of steps.keys()) steps.set(step, 0)
  const wanted = [...steps.values()].reduce((sum, chars) => sum + chars, 0)
  const room = wanted === 0 ? 0 : Math.max(0, sdkLimits.journalChars - takenIn(journal))
  if (wanted > room) throw noRoom(name, wanted, room)
  journal.reserve(steps)
}

/** What the journal keeps of a finished step. */
export function keptEntry(journal: Journal, name: string, entry: StepEntry, hasStore: boolean): StepEntry {
  // The page of a secret is released with the id in the journal.
  if (!hasStore || name.startsWith(pageStepPrefix)) return entry
  const { length } = JSON.stringify(entry)
  const fits = length <= sdkLimits.stepInStateChars && takenIn(journal) + length <= sdkLimits.stepsInStateChars
  return fits ? entry : { kind: 'stored' }
}

/** The caller of a call that has become too large gets the receipts of what ran in it: without a store, nothing else has them. */
export function withReceipts(error: unknown, journal: Journal): unknown {
  if (!isAssentError(error, 'limit_exceeded')) return error
  const receipts = [...journal.steps].flatMap(([name, { entry }]) => {
    const result = name.startsWith(receiptStepPrefix) && entry.kind === 'done' ? entry.result : undefined
    return isPlainObject(result) && typeof result.receipt === 'string' ? [result.receipt] : []
  })
  if (receipts.length === 0) return error
  const message = `${error.message} Approvals of this call were used before. Receipts: ${receipts.join(' ')}`
  return new AssentError('limit_exceeded', message, { cause: error })
}

function noRoom(name: string, wanted: number, room: number): AssentError {
  const what = name.startsWith(ownStepPrefix) ? 'A gate' : `The step "${name}"`
  return new AssentError(
    'limit_exceeded',
    `${what} was not run: its result of up to ${wanted} characters does not fit into the state, ` +
      `which has room for ${room}. Set a store, or keep the result elsewhere and return its name.`,
  )
}
