import { AssentError } from '@assent/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { StepContext, StepOptions } from '../ask/step.ts'
import { sdkLimits } from '../limits.ts'
import { stepOf } from './sample-step.suite.ts'
import { checkStepOptions, currentStep, stepKey } from './step-attempts.ts'
import { stepResult } from './step-entry.ts'
import { askInStep, checkStepName, duplicateStepName, runStep, stepInStep } from './steps.ts'

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
      message: 'The work of a gate, or a handler in approved(), contains the step "pay". Run one after the other.',
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
    { maxResultChars: sdkLimits.stepResultChars + 1 },
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

  test('[SDK-33] that nothing stores may have any size and depth', async () => {
    const text = 'x'.repeat(2 * sdkLimits.stepResultChars)
    expect(await alone(() => ({ text }))).toEqual({ entry: { kind: 'done', result: { text } } })
    const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`)
    expect(await alone(() => deep)).toEqual({ entry: { kind: 'done', result: deep } })
    expect(await alone(() => 'half \ud83d')).toEqual({ entry: { kind: 'done', result: 'half \ud83d' } })
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

function withGetters(error: Error, names: readonly string[], get: () => unknown): Error {
  for (const name of names) Object.defineProperty(error, name, { get })
  return error
}

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

  const unreadable = () => {
    throw new Error('unreadable')
  }
  test.each<[string, unknown, string]>([
    ['an object without toString', Object.create(null), 'What was thrown cannot be read.'],
    ['an object whose toString throws', { toString: unreadable }, 'What was thrown cannot be read.'],
    [
      'an error whose members throw',
      withGetters(new Error('busy'), ['code', 'data', 'name', 'stack'], unreadable),
      'busy',
    ],
    ['an error whose message throws', withGetters(new Error('busy'), ['message'], unreadable), 'What was thrown'],
    ['a proxy that throws', new Proxy({}, { getPrototypeOf: unreadable, get: unreadable }), 'What was thrown'],
    ['a symbol', Symbol('busy'), 'Symbol(busy)'],
  ])('[SDK-30] is stored whatever was thrown: %s', async (_, thrown, message) => {
    const { entry } = await alone(() => Promise.reject(thrown))
    expect(entry).toMatchObject({ kind: 'failed', code: 'step_failed', message: expect.stringContaining(message) })
    expect(JSON.parse(JSON.stringify(entry))).toEqual(entry)
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
