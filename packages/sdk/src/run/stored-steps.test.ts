// Steps with a store: finished ones are not run again, and another caller waits for one that runs.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sdkLimits } from '../limits.ts'
import type { DurableSteps, StepClaim } from '../server/durable.ts'
import type { StepRecord } from '../server/step-record.ts'
import { stepOf } from './sample-step.suite.ts'
import { stepKey } from './step-attempts.ts'
import { stepResult } from './step-entry.ts'
import { readStoredStep, runStep } from './steps.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})
const begunAtMs = 1_000_000

/** A store whose claims are given; the last one is repeated. */
function recordOf(claims: StepClaim[], parts: Partial<DurableSteps> = {}): StepRecord {
  const steps: DurableSteps = {
    claim: vi.fn(async () => (claims.length > 1 ? claims.shift() : claims[0]) as StepClaim),
    finish: vi.fn(async () => true),
    keep: () => Promise.reject(new Error('not used')),
    ...parts,
  }
  const nowMs = () => begunAtMs + 10
  return { steps, tenant: 'acme', callId: 'call_1', owner: 'me', keepMs: 1_000, running: new Map(), nowMs }
}
const begun: StepClaim = { kind: 'begun', atMs: begunAtMs }
const outcome = JSON.stringify({ kind: 'done', result: 1 })

test.each([
  ['a result', { kind: 'done', result: { n: 1 } }],
  ['no result', { kind: 'done' }],
  ['an error', { kind: 'failed', code: 'step_failed', message: 'No disk.', cause: { name: 'Error', code: 'x' } }],
  ['a gate that did not open', { kind: 'failed', code: 'grant_refused', message: 'Nothing was run.' }],
])('[SDK-7] a step that is finished in the store is not run again: %s', async (_, entry) => {
  const work = vi.fn()
  const record = recordOf([{ kind: 'finished', outcome: JSON.stringify(entry) }])
  expect(await runStep(stepOf(work), record)).toStrictEqual({ entry })
  expect(await readStoredStep(stepOf(work), record)).toStrictEqual({ entry })
  expect(work).not.toHaveBeenCalled()
})

test('[SDK-33] the largest result that a store keeps can be read again, and a larger one fails the step', async () => {
  const most = sdkLimits.stepResultChars
  const deepest = JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`)
  for (const result of ['x'.repeat(most - 2), 'ü'.repeat(most - 2), deepest, 'half \ud83d']) {
    let stored = ''
    const finish: DurableSteps['finish'] = async ({ outcome }) => {
      stored = outcome
      return true
    }
    const record = recordOf([{ kind: 'yours' }], { finish })
    expect(
      await runStep(
        stepOf(() => result),
        record,
      ),
    ).toEqual({ entry: { kind: 'done', result } })
    const again = recordOf([{ kind: 'finished', outcome: stored }])
    expect(await readStoredStep(stepOf(vi.fn()), again)).toEqual({ entry: { kind: 'done', result } })
  }
  const refused = async (result: unknown) =>
    (
      await runStep(
        stepOf(() => result),
        recordOf([{ kind: 'yours' }]),
      )
    ).entry
  expect(await refused('x'.repeat(most - 1))).toMatchObject({
    kind: 'failed',
    code: 'step_failed',
    message:
      '"work" was done, but its result cannot be stored: As JSON it has 262145 characters, and a store keeps 262144. ' +
      'Keep it elsewhere and return its name.',
  })
  expect(await refused([deepest])).toMatchObject({ message: expect.stringContaining('nested deeper than 64 levels') })
})

test('[SDK-7] a stored result that is not a step is refused', async () => {
  const unreadable = { code: 'step_unclear', message: 'The stored result of a step cannot be read.' }
  const record = recordOf([{ kind: 'finished', outcome: '[]' }])
  await expect(runStep(stepOf(vi.fn()), record)).rejects.toMatchObject(unreadable)
  expect(() => stepResult({ entry: { kind: 'stored' } })).toThrow(unreadable.message)
  await expect(readStoredStep(stepOf(vi.fn()), undefined)).rejects.toMatchObject({ code: 'step_unclear' })
})

test('[SDK-32] a second caller waits for a step that another process runs', async () => {
  const work = vi.fn()
  const waiting = runStep(stepOf(work), recordOf([begun, begun, begun, { kind: 'finished', outcome }]))
  await vi.advanceTimersByTimeAsync(sdkLimits.ownerPollMs * 7)
  expect((await waiting).entry).toEqual({ kind: 'done', result: 1 })
  expect(work).not.toHaveBeenCalled()
})

test('[SDK-32] a second caller in the same process waits for as long as the step runs', async () => {
  const record = recordOf([{ kind: 'yours' }, { kind: 'finished', outcome }])
  const working = Promise.withResolvers<number>()
  const first = runStep(
    stepOf(() => working.promise),
    record,
  )
  const other = vi.fn()
  const second = runStep(stepOf(other, { onCrash: 'retry' }), record)
  await vi.advanceTimersByTimeAsync(sdkLimits.ownerWaitMs * 2)
  // Not even claimed: a claim of a step that began long ago would take it over from this process.
  expect(record.steps.claim).toHaveBeenCalledTimes(1)
  working.resolve(1)
  expect([await first, await second]).toMatchObject([{ entry: { result: 1 } }, { entry: { result: 1 } }])
  expect(other).not.toHaveBeenCalled()
  expect(record.running.size).toBe(0)
})

test('[SDK-32] after the time limit the step is unclear; one that began long ago is not waited for', async () => {
  const waiting = runStep(stepOf(vi.fn()), recordOf([begun]))
  const refused = expect(waiting).rejects.toMatchObject({ code: 'step_unclear' })
  await vi.advanceTimersByTimeAsync(sdkLimits.ownerWaitMs)
  await refused
  await expect(runStep(stepOf(vi.fn()), recordOf([{ kind: 'begun', atMs: 5 }]))).rejects.toMatchObject({
    code: 'step_unclear',
  })
})

test('[SDK-32] with `onCrash: retry` a step whose process died runs again with the same key', async () => {
  const takeOver = vi.fn(async () => true)
  const keys: string[] = []
  const attempts: number[] = []
  const step = stepOf(
    ({ key, attempt }) => {
      attempts.push(attempt)
      return keys.push(key)
    },
    { onCrash: 'retry' },
  )
  const record = recordOf([{ kind: 'begun', atMs: 5 }], { takeOver })
  expect((await runStep(step, record)).entry).toEqual({ kind: 'done', result: 1 })
  expect(takeOver).toHaveBeenCalledExactlyOnceWith({
    tenant: 'acme',
    callId: 'call_1',
    name: 'step work',
    owner: 'me',
    begunAtMs: 5,
  })
  expect(keys).toEqual([stepKey('call_1', 'work')])
  expect(attempts).toEqual([2])
  await expect(runStep(step, recordOf([{ kind: 'begun', atMs: 5 }]))).rejects.toMatchObject({ code: 'step_unclear' })
})

test('[SDK-32] if another process took the step over, its result counts', async () => {
  const record = recordOf([{ kind: 'yours' }, { kind: 'finished', outcome }], { finish: async () => false })
  expect(
    (
      await runStep(
        stepOf(() => 'mine', { onCrash: 'retry' }),
        record,
      )
    ).entry,
  ).toEqual({ kind: 'done', result: 1 })
  const lost = recordOf([{ kind: 'yours' }], { finish: async () => false })
  await expect(
    runStep(
      stepOf(() => 'mine'),
      lost,
    ),
  ).rejects.toMatchObject({
    code: 'step_unclear',
    message: 'The step "work" was done, but its result could not be stored.',
  })
})
