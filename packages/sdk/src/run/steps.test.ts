import { AssentError } from '@assent/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { StepContext, StepOptions } from '../ask/step.ts'
import { sdkLimits } from '../limits.ts'
import type { DurableSteps, StepClaim } from '../server/durable.ts'
import type { StepRecord } from '../server/step-record.ts'
import { checkStepOptions, currentStep, stepKey } from './step-attempts.ts'
import { stepResult } from './step-entry.ts'
import { askInStep, checkStepName, duplicateStepName, readStoredStep, runStep, stepInStep } from './steps.ts'

const signal = new AbortController().signal
const stepOf = (work: (context: StepContext) => unknown, options: StepOptions = {}) => ({
  name: 'work',
  callId: 'call_1',
  work,
  options,
  signal,
  hasFailed: () => false,
})
const alone = (work: (context: StepContext) => unknown, options?: StepOptions) =>
  runStep(stepOf(work, options), undefined)

describe('names and options', () => {
  test('[SDK-11] a step needs a valid name, and the error describes it', () => {
    const longest = 'x'.repeat(sdkLimits.stepNameChars)
    expect([checkStepName('a'), checkStepName(longest)]).toEqual(['a', longest])
    for (const name of ['', `${longest}x`, '\ud800', undefined, 7, ['a']]) {
      expect(() => checkStepName(name as string)).toThrow(
        expect.objectContaining({
          code: 'misconfigured',
          message: `A step needs a name of at most ${sdkLimits.stepNameChars} characters.`,
        }),
      )
    }
  })

  test('[SDK-28] the names of our own steps are not allowed, and every other name is', () => {
    expect(() => checkStepName('assent:secret 1')).toThrow('The name of a step cannot begin with "assent:".')
    expect(checkStepName('secret 1')).toBe('secret 1')
  })

  test('[SDK-11] mistakes with steps have their own errors', () => {
    expect(duplicateStepName('pay')).toMatchObject({
      code: 'misconfigured',
      message: 'Two steps of this handler are called "pay".',
    })
    expect(askInStep('pay')).toMatchObject({
      code: 'misconfigured',
      message: 'The work of the step "pay" asks a question. Ask before it or after it.',
    })
    expect(stepInStep('assent:gate ask_1', 'pay')).toMatchObject({
      code: 'misconfigured',
      message: 'The work of a gate contains the step "pay". Run one after the other.',
    })
  })

  test.each<StepOptions>([
    { retry: -1 },
    { retry: 1.5 },
    { retry: sdkLimits.stepRetries + 1 },
    { timeoutMs: 0 },
    { timeoutMs: 2 ** 31 },
    { onCrash: 'again' as never },
    { maxResultChars: -1 },
  ])('[SDK-11] invalid options of a step are refused: %j', (options) => {
    expect(() => checkStepOptions(options)).toThrow(expect.objectContaining({ code: 'misconfigured' }))
  })
})

describe('a result', () => {
  test('[SDK-29] follows the rules of JSON: void, undefined members and dates work', async () => {
    expect(await alone(() => undefined)).toEqual({ entry: { kind: 'done' } })
    expect(await alone(() => () => 1)).toEqual({ entry: { kind: 'done' } })
    const row = { id: 1, error: undefined, at: new Date(0), size: Number.NaN, list: [undefined, null] }
    expect(stepResult(await alone(async () => row))).toStrictEqual({
      id: 1,
      at: '1970-01-01T00:00:00.000Z',
      size: null,
      list: [null, null],
    })
    const given = { list: [1] }
    const outcome = await alone(() => given)
    given.list.push(2)
    expect(stepResult(outcome)).toEqual({ list: [1] })
  })

  test.each<[string, () => unknown]>([
    ['a bigint', () => 1n],
    [
      'a cycle',
      () => {
        const cycle: { self?: object } = {}
        cycle.self = cycle
        return cycle
      },
    ],
    ['a toJSON that throws', () => ({ toJSON: () => JSON.parse('{') })],
  ])('[SDK-29] that JSON cannot represent fails the step: %s', async (_, work) => {
    const { entry } = await alone(work)
    expect(entry).toMatchObject({
      kind: 'failed',
      code: 'step_failed',
      message: expect.stringContaining('"work" was done, but its result cannot be stored:'),
    })
  })
})

describe('an error', () => {
  class HttpError extends Error {
    override name = 'HttpError'
    code = 503
    data = { after: 3, body: undefined }
  }

  test('[SDK-30] keeps name, code, message and data, the same now and when it is read again', async () => {
    const failed = await alone(() => Promise.reject(new HttpError('busy')))
    expect(failed.entry).toEqual({
      kind: 'failed',
      code: 'step_failed',
      message: 'busy',
      cause: { name: 'HttpError', code: 503, data: { after: 3 } },
    })
    const thrown = (outcome: typeof failed) => {
      try {
        return stepResult(outcome)
      } catch (error) {
        return error as AssentError & { cause: HttpError }
      }
    }
    for (const error of [thrown(failed), thrown({ entry: failed.entry })] as (AssentError & { cause: HttpError })[]) {
      expect(error).toMatchObject({ code: 'step_failed', message: 'busy' })
      const { name, message, code, data } = error.cause
      expect({ name, message, code, data }).toEqual({
        name: 'HttpError',
        message: 'busy',
        code: 503,
        data: { after: 3 },
      })
      expect(error.cause).not.toBeInstanceOf(HttpError)
    }
    expect((thrown(failed) as Error & { cause: Error }).cause.stack).toContain('steps.test.ts')
  })

  test('[SDK-7] says whether the gate did not open, and may be no error at all', async () => {
    const shut = new AssentError('grant_refused', 'Nothing was run.')
    expect((await alone(() => Promise.reject(shut))).entry).toEqual({
      kind: 'failed',
      code: 'grant_refused',
      message: 'Nothing was run.',
    })
    expect((await alone(() => Promise.reject(new AssentError('declined', 'No.')))).entry).toMatchObject({
      code: 'step_failed',
      cause: { name: 'AssentError', code: 'declined' },
    })
    expect((await alone(() => Promise.reject('just text'))).entry).toMatchObject({
      message: 'just text',
      cause: { name: 'Error', data: 'just text' },
    })
  })

  test('[SDK-12] is cut at a whole character, and large or unusable data is left out', async () => {
    const { entry } = await alone(() =>
      Promise.reject(
        Object.assign(new Error(`\ud800${'x'.repeat(sdkLimits.journalChars)}`), { data: 'x'.repeat(5_000), code: {} }),
      ),
    )
    expect(entry).toEqual({
      kind: 'failed',
      code: 'step_failed',
      message: `\ufffd${'x'.repeat(sdkLimits.errorMessageChars - 1)}`,
      cause: { name: 'Error' },
    })
    expect((await alone(() => Promise.reject(Object.assign(new Error('x'), { data: 1n })))).entry).toMatchObject({
      cause: { name: 'Error' },
    })
  })
})

describe('attempts', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('[SDK-31] each gets the same key and its number', async () => {
    const seen: unknown[] = []
    const work = ({ key, attempt }: StepContext) => {
      seen.push([key, attempt])
      if (attempt < 3) throw new Error(`attempt ${attempt}`)
      return 'done'
    }
    const done = alone(work, { retry: 2 })
    await vi.advanceTimersByTimeAsync(sdkLimits.retryFirstMs * 3)
    expect((await done).entry).toEqual({ kind: 'done', result: 'done' })
    const key = stepKey('call_1', 'work')
    expect(seen).toEqual([1, 2, 3].map((attempt) => [key, attempt]))
    expect(stepKey('call_1', 'other')).not.toBe(key)
    expect(stepKey('call_2', 'work')).not.toBe(key)
  })

  test('[SDK-31] after the last one the step has failed; without `retry` there is one, and a refused approval is final', async () => {
    const work = vi.fn(() => Promise.reject(new Error('no disk')))
    const failing = alone(work, { retry: 1 })
    await vi.advanceTimersByTimeAsync(sdkLimits.retryFirstMs)
    expect((await failing).entry).toMatchObject({ kind: 'failed', message: 'no disk' })
    expect(work).toHaveBeenCalledTimes(2)
    await alone(work)
    expect(work).toHaveBeenCalledTimes(3)
    const shut = vi.fn(() => Promise.reject(new AssentError('grant_refused', 'No.')))
    await alone(shut, { retry: 5 })
    expect(shut).toHaveBeenCalledTimes(1)
  })

  test('[SDK-31] one that takes too long is aborted and has failed', async () => {
    let aborted: unknown
    const timed = alone(
      ({ signal: own }) => {
        own.addEventListener('abort', () => {
          aborted = own.reason
        })
        return new Promise(() => undefined)
      },
      { timeoutMs: 50 },
    )
    await vi.advanceTimersByTimeAsync(50)
    expect((await timed).entry).toMatchObject({
      kind: 'failed',
      message: '"work" did not finish within 50 ms.',
      cause: { code: 'timed_out' },
    })
    expect(aborted).toMatchObject({ code: 'timed_out' })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('[SDK-31] a cancelled call is not tried again', async () => {
    const cancelling = new AbortController()
    const work = vi.fn(() => {
      cancelling.abort()
      throw new Error('no disk')
    })
    const step = { ...stepOf(work, { retry: 3 }), signal: cancelling.signal }
    expect((await runStep(step, undefined)).entry).toMatchObject({ kind: 'failed' })
    expect(work).toHaveBeenCalledTimes(1)
  })

  test('[SDK-11] the current step is set while its work runs, and not after', async () => {
    expect((await alone(async () => currentStep('call_1'))).entry).toEqual({ kind: 'done', result: 'work' })
    expect(currentStep('call_1')).toBeUndefined()
  })

  test('[SDK-11] a step may call another tool: the current step is one of its own call only', async () => {
    expect((await alone(async () => currentStep('call_2') ?? 'none')).entry).toEqual({ kind: 'done', result: 'none' })
  })
})

describe('with a store', () => {
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
})
