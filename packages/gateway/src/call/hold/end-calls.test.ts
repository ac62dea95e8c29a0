import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { clusterLimits, setLimits } from '../../limits.ts'
import { each, endCalls } from './end-calls.ts'
import { pause, unavailable } from './sample-calls.suite.ts'

const fails = (error: unknown) => expect.unreachable(String(error))

test('[FLEET-6] at shutdown every call is ended, several at a time, and those that are added meanwhile', async () => {
  const calls = new Map(Array.from({ length: 10 }, (_, index) => [index, index]))
  const ended: number[] = []
  let now = 0
  let most = 0
  const end = async ([id]: readonly [number, number]) => {
    most = Math.max(most, ++now)
    if (id === 0) calls.set(10, 10)
    await pause(1)
    now -= 1
    ended.push(id)
  }

  await endCalls([each(calls, end), each(['last'], async () => void ended.push(11))], fails)

  expect(ended.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index))
  expect(most).toBe(4)
})

test('[FLEET-6] a call that cannot be ended is reported, and the others are ended', async () => {
  const ended: number[] = []
  const errors: unknown[] = []
  const end = async (id: number) => {
    if (id === 1) throw new Error('This row cannot be written.')
    ended.push(id)
  }

  await endCalls([each([1, 2, 3], end)], (error) => void errors.push(error))

  expect([ended, errors]).toEqual([[2, 3], [new Error('This row cannot be written.')]])
})

test('[FLEET-10] when the store is unavailable no more calls are ended', async () => {
  let ends = 0
  const errors: unknown[] = []
  const end = () => {
    ends += 1
    return pause(1).then(unavailable)
  }

  await endCalls([each(Array(100), end)], (error) => void errors.push(error))

  expect([ends, errors.length]).toEqual([4, 4])
})

test('[FLEET-10] ending calls takes a limited time', async () => {
  closeAfterTest(setLimits(clusterLimits, { abortGraceMs: 30 }))
  let ends = 0
  const end = () => {
    ends += 1
    return ends === 1 ? new Promise<void>(() => undefined) : pause(20)
  }

  await endCalls([each(Array(1_000), end)], fails)

  expect(ends).toBeLessThan(100)
  const before = ends
  await pause(60)
  expect(ends).toBe(before)
})
