import { AssentError } from '@assent/core'
import { expect, test } from 'vitest'
import { sdkLimits } from '../limits.ts'
import { askInStep, checkStepName, perform, resultOf, sameName, stepAround } from './steps.ts'

const alone = (work: () => unknown) => perform('work', work, undefined)

test('[SDK-11] a step has a name that can be kept, and the error says so', () => {
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

test('[SDK-11] mistakes with steps are named', () => {
  expect(sameName('pay')).toMatchObject({
    code: 'misconfigured',
    message: 'Two steps of this handler are called "pay".',
  })
  expect(askInStep('pay')).toMatchObject({
    code: 'misconfigured',
    message: 'The step "pay" asks a question. Ask before the step or after it.',
  })
})

test('[SDK-7] what a step gives is kept as JSON gives it back; nothing is kept as nothing', async () => {
  expect(await alone(() => undefined)).toEqual({ entry: { kind: 'done' } })
  expect(await alone(async () => ({ b: 1, a: [null] }))).toEqual({
    entry: { kind: 'done', result: { b: 1, a: [null] } },
  })
  const given = { list: [1] }
  const { entry } = await alone(() => given)
  given.list.push(2)
  expect(resultOf(entry)).toEqual({ list: [1] })
})

test('[SDK-7] an error of the work is its outcome: its words, and whether the gate did not open', async () => {
  const error = new Error('no space')
  const failed = await alone(() => {
    throw error
  })
  expect(failed).toEqual({ entry: { kind: 'failed', code: 'step_failed', message: 'no space' }, cause: error })
  expect(() => resultOf(failed.entry, failed.cause)).toThrow(
    expect.objectContaining({ code: 'step_failed', message: 'no space', cause: error }),
  )
  expect(() => resultOf(failed.entry)).toThrow(expect.not.objectContaining({ cause: expect.anything() }))

  const shut = new AssentError('grant_refused', 'Nothing was run.')
  expect((await alone(() => Promise.reject(shut))).entry).toMatchObject({ code: 'grant_refused' })
  const other = new AssentError('declined', 'No.')
  expect((await alone(() => Promise.reject(other))).entry).toMatchObject({ code: 'step_failed', message: 'No.' })
  expect((await alone(() => Promise.reject('just text'))).entry).toMatchObject({ message: 'just text' })
})

test('[SDK-12] the words of an error are kept in whole characters, and not all of them', async () => {
  const { entry } = await alone(() => Promise.reject(new Error(`\ud800${'x'.repeat(sdkLimits.journalChars)}`)))
  expect(entry).toEqual({
    kind: 'failed',
    code: 'step_failed',
    message: `\ufffd${'x'.repeat(sdkLimits.journalChars / 16 - 1)}`,
  })
})

test('[SDK-7] a result that is no JSON fails the step, and says what was done and where the fault is', async () => {
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

test('[SDK-11] while its work is done, a step is known to be around it, and not after', async () => {
  expect((await alone(async () => stepAround())).entry).toEqual({ kind: 'done', result: 'work' })
  expect(stepAround()).toBeUndefined()
})
