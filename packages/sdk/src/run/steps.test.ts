import { AssentError } from '@assent/core'
import { expect, test } from 'vitest'
import { sdkLimits } from '../limits.ts'
import type { DurableSteps } from '../server/durable.ts'
import { askInStep, checkStepName, currentStep, duplicateStepName, runStep, stepResult } from './steps.ts'

const alone = (work: () => unknown) => runStep('work', work, undefined)

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

test('[SDK-11] mistakes with steps have their own errors', () => {
  expect(duplicateStepName('pay')).toMatchObject({
    code: 'misconfigured',
    message: 'Two steps of this handler are called "pay".',
  })
  expect(askInStep('pay')).toMatchObject({
    code: 'misconfigured',
    message: 'The step "pay" asks a question. Ask before the step or after it.',
  })
})

test('[SDK-7] the result of a step is stored as JSON; no result is stored as none', async () => {
  expect(await alone(() => undefined)).toEqual({ entry: { kind: 'done' } })
  expect(await alone(async () => ({ b: 1, a: [null] }))).toEqual({
    entry: { kind: 'done', result: { b: 1, a: [null] } },
  })
  const given = { list: [1] }
  const { entry } = await alone(() => given)
  given.list.push(2)
  expect(stepResult(entry)).toEqual({ list: [1] })
})

test('[SDK-7] an error of the work is its outcome: its message, and whether the gate did not open', async () => {
  const error = new Error('no space')
  const failed = await alone(() => {
    throw error
  })
  expect(failed).toEqual({ entry: { kind: 'failed', code: 'step_failed', message: 'no space' }, cause: error })
  expect(() => stepResult(failed.entry, failed.cause)).toThrow(
    expect.objectContaining({ code: 'step_failed', message: 'no space', cause: error }),
  )
  expect(() => stepResult(failed.entry)).toThrow(expect.not.objectContaining({ cause: expect.anything() }))

  const shut = new AssentError('grant_refused', 'Nothing was run.')
  expect((await alone(() => Promise.reject(shut))).entry).toMatchObject({ code: 'grant_refused' })
  const other = new AssentError('declined', 'No.')
  expect((await alone(() => Promise.reject(other))).entry).toMatchObject({ code: 'step_failed', message: 'No.' })
  expect((await alone(() => Promise.reject('just text'))).entry).toMatchObject({ message: 'just text' })
})

test('[SDK-12] the message of an error is cut at a whole character', async () => {
  const { entry } = await alone(() => Promise.reject(new Error(`\ud800${'x'.repeat(sdkLimits.journalChars)}`)))
  expect(entry).toEqual({
    kind: 'failed',
    code: 'step_failed',
    message: `\ufffd${'x'.repeat(sdkLimits.journalChars / 16 - 1)}`,
  })
})

test('[SDK-7] a result that is not JSON fails the step, and the error locates the value', async () => {
  const { entry, cause } = await alone(() => ({ when: new Date(0) }))
  expect(entry).toEqual({
    kind: 'failed',
    code: 'step_failed',
    message:
      'The step "work" was done, but its result cannot be kept: This value has no canonical JSON form: it is not plain ' +
      'data but an instance of a class, at "/when".',
  })
  expect(cause).toMatchObject({ code: 'not_canonical' })
  const trap = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new TypeError('trap')
      },
    },
  )
  await expect(alone(() => trap)).rejects.toThrow(new TypeError('trap'))
})

test('[SDK-11] the current step is set while its work runs, and not after', async () => {
  expect((await alone(async () => currentStep())).entry).toEqual({ kind: 'done', result: 'work' })
  expect(currentStep()).toBeUndefined()
})

test.each([
  ['a result', { kind: 'done', result: { n: 1 } }],
  ['no result', { kind: 'done' }],
  ['an error', { kind: 'failed', code: 'step_failed', message: 'No disk.' }],
  ['a gate that did not open', { kind: 'failed', code: 'grant_refused', message: 'Nothing was run.' }],
])('[SDK-7] a step that is finished in the store is not run again: %s', async (_, entry) => {
  expect(await finished(JSON.stringify(entry))).toStrictEqual({ entry })
})

test('[SDK-7] a stored result that is not a step is refused', async () => {
  await expect(finished('[]')).rejects.toMatchObject({
    code: 'step_unclear',
    message: 'The stored result of a step cannot be read.',
  })
})

/** Runs a step that the store has as finished with this outcome. */
function finished(outcome: string) {
  const steps: DurableSteps = {
    claim: async () => ({ kind: 'finished', outcome }),
    finish: () => Promise.reject(new Error('It is finished.')),
    keep: () => Promise.reject(new Error('It is finished.')),
  }
  const work = () => {
    throw new Error('It ran again.')
  }
  return runStep('work', work, { steps, tenant: 'acme', callId: 'call_1', owner: 'me', keepMs: 1_000 })
}
