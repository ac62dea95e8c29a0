// Steps: work whose result is kept, so that it is done once however often the handler runs.
//
// With a store, the claim comes before the work. A second caller waits for the owner of the claim: without a time limit if it is
// this process, otherwise for a while. A step that was begun and not finished is then reported as unclear, or run again
// with the same key if its author allows that (`onCrash: 'retry'`).

import { AssentError, type JsonValue, parseJsonStrictly } from '@assent/core'
import type { Ending } from '../ask/ending.ts'
import { ownStepPrefix, type StepOptions } from '../ask/step.ts'
import { decodeEnding, encodeEnding } from '../journal/encode.ts'
import { sdkLimits } from '../limits.ts'
import type { StepClaim, StepKey } from '../server/durable.ts'
import type { StepRecord } from '../server/step-record.ts'
import { attemptStep, notRun, pause, type StepWork } from './step-attempts.ts'
import { decodeEntry, type StepOutcome } from './step-entry.ts'

export function checkStepName(name: string): string {
  const isValid =
    typeof name === 'string' && name !== '' && name.length <= sdkLimits.stepNameChars && name.isWellFormed()
  if (!isValid)
    throw new AssentError('misconfigured', `A step needs a name of at most ${sdkLimits.stepNameChars} characters.`)
  if (!name.startsWith(ownStepPrefix)) return name
  throw new AssentError('misconfigured', `The name of a step cannot begin with "${ownStepPrefix}".`)
}

export function duplicateStepName(name: string): AssentError {
  return new AssentError('misconfigured', `Two steps of this handler are called "${name}".`)
}

export function askInStep(step: string): AssentError {
  return new AssentError('misconfigured', `${workOf(step)} asks a question. Ask before it or after it.`)
}

/** The inner one would not be reached in a later round, in which the outer one has its result. */
export function stepInStep(outer: string, name: string): AssentError {
  return new AssentError('misconfigured', `${workOf(outer)} contains ${called(name)}. Run one after the other.`)
}

/** `approved(handler)` makes the handler the work of a gate, so its author may not know of one. */
function workOf(step: string): string {
  return step.startsWith(ownStepPrefix)
    ? 'The work of a gate, or a handler in approved(),'
    : `The work of ${called(step)}`
}

function called(step: string): string {
  return step.startsWith(ownStepPrefix) ? 'a gate' : `the step "${step}"`
}

/** The first answer to an ask of a call counts, also when a client sends an old state with another answer. */
export async function firstEnding(ask: string, ending: Ending, record: StepRecord | undefined): Promise<Ending> {
  if (record === undefined) return ending
  const { steps, tenant, callId, owner, keepMs } = record
  const outcome = JSON.stringify(encodeEnding(ending))
  const kept = await steps.keep({ tenant, callId, name: `answer ${ask}`, owner, keepMs, outcome })
  if (kept === outcome) return ending
  const [code, more, comment] = parseJsonStrictly(kept ?? '[]') as readonly JsonValue[]
  return decodeEnding(code, more, comment)
}

/** Does the work, at most once where there is a record. Rounds of one call in this process take turns. */
export async function runStep(step: StepWork, record: StepRecord | undefined): Promise<StepOutcome> {
  if (record === undefined) return attemptStep(step)
  const key: StepKey = { tenant: record.tenant, callId: record.callId, name: `step ${step.name}` }
  const local = JSON.stringify([key.tenant, key.callId, key.name])
  for (let other = record.running.get(local); other !== undefined; other = record.running.get(local)) await other
  const turn = Promise.withResolvers<void>()
  record.running.set(local, turn.promise)
  try {
    // Before the claim, so that a later round can still run it.
    if (step.hasFailed()) return notRun(step)
    const claim = await claimOrWait(key, step, record)
    if (claim.kind === 'finished') return { entry: decodeEntry(claim.outcome) }
    return await attemptAndFinish(key, step, record, claim.kind === 'taken-over')
  } finally {
    record.running.delete(local)
    turn.resolve()
  }
}

/** The outcome of a step that has finished and is in the store only. */
export async function readStoredStep({ name, label }: StepWork, record: StepRecord | undefined): Promise<StepOutcome> {
  if (record !== undefined) {
    const { steps, tenant, callId, owner, keepMs } = record
    const claim = await steps.claim({ tenant, callId, name: `step ${name}`, owner, keepMs })
    if (claim.kind === 'finished') return { entry: decodeEntry(claim.outcome) }
  }
  throw new AssentError('step_unclear', `The step "${label}" was done, but its result is no longer in the store.`)
}

async function attemptAndFinish(
  key: StepKey,
  step: StepWork,
  record: StepRecord,
  isTakenOver: boolean,
): Promise<StepOutcome> {
  const attempted = await attemptStep({ ...step, isStored: true }, isTakenOver ? 2 : 1)
  const outcome = JSON.stringify(attempted.entry)
  if (await record.steps.finish({ ...key, owner: record.owner, outcome })) return attempted
  // Another process has taken it over and counts.
  if (step.options.onCrash === 'retry') {
    const claim = await claimOrWait(key, { ...step, options: { ...step.options, onCrash: 'stop' } }, record)
    if (claim.kind === 'finished') return { entry: decodeEntry(claim.outcome) }
  }
  throw new AssentError('step_unclear', `The step "${step.label}" was done, but its result could not be stored.`)
}

type Claimed = Exclude<StepClaim, { kind: 'begun' }> | { readonly kind: 'taken-over' }

async function claimOrWait(key: StepKey, step: StepWork, record: StepRecord): Promise<Claimed> {
  const { steps, owner, keepMs } = record
  const startedAt = performance.now()
  for (let waits = 0; ; waits++) {
    const claim = await steps.claim({ ...key, owner, keepMs })
    if (claim.kind !== 'begun') return claim
    const waitedMs = performance.now() - startedAt
    // By the store's clock: one that began long ago is not waited for again by every retry.
    const leftMs = longestMs(step.options) - Math.max(waitedMs, record.nowMs() - claim.atMs)
    if (leftMs > 0 && waitedMs < sdkLimits.ownerWaitMs && !step.signal.aborted) {
      await pause(Math.min(sdkLimits.ownerPollMs * 2 ** Math.min(waits, 5), leftMs), step.signal)
      continue
    }
    if (step.options.onCrash !== 'retry' || steps.takeOver === undefined || leftMs > 0)
      throw unclear(step.label, claim.atMs)
    if (await steps.takeOver({ ...key, owner, begunAtMs: claim.atMs })) return { kind: 'taken-over' }
  }
}

/** How long after its begin a step may still be running in a live process. */
function longestMs({ timeoutMs, retry = 0 }: StepOptions): number {
  return Math.max(sdkLimits.ownerWaitMs, (timeoutMs ?? 0) * (1 + retry) + sdkLimits.retryMostMs * retry)
}

function unclear(label: string, begunAtMs: number): AssentError {
  const since = new Date(begunAtMs).toISOString()
  return new AssentError(
    'step_unclear',
    `The step "${label}" was begun at ${since} and has not finished: it is running elsewhere, or its process died ` +
      'in the middle. It is not run again. Look at what it changes, then start a new call if it is needed.',
  )
}
