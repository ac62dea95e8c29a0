import type { Store } from '@assent/store'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { relayLimits } from '../../limits.ts'
import { SeenCallers } from './seen-callers.ts'

const { callerBackMs, callerSeenEveryMs } = relayLimits

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function recording(write: () => Promise<void> = async () => undefined) {
  const written: string[] = []
  const errors: unknown[] = []
  const seen = async (tenant: string, id: string, everyMs: number) => {
    expect(everyMs).toBe(callerSeenEveryMs / 2)
    written.push(`${tenant} ${id}`)
    await write()
  }
  const callers = new SeenCallers({ asks: { seen } } as unknown as Store, (error) => errors.push(error))
  return { callers, written, errors }
}

test('[WAIT-10] while requests wait, one timer records it for all their asks', async () => {
  const { callers, written } = recording()
  const ends = [callers.waits('acme', 'ask_1', false), callers.waits('other', 'ask_2', false)]
  expect(vi.getTimerCount()).toBe(1)

  await vi.advanceTimersByTimeAsync(callerSeenEveryMs - 1)
  expect(written).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(written).toEqual(['acme ask_1', 'other ask_2'])
  ends[0]?.(true)
  await vi.advanceTimersByTimeAsync(callerSeenEveryMs)
  expect(written).toEqual(['acme ask_1', 'other ask_2', 'other ask_2'])
  ends[1]?.(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('[WAIT-10] after the last request has ended, a new one is recorded again', async () => {
  const { callers, written } = recording()
  callers.waits('acme', 'ask_1', false)(true)
  const end = callers.waits('acme', 'ask_2', false)

  await vi.advanceTimersByTimeAsync(callerSeenEveryMs)

  expect(written).toEqual(['acme ask_2'])
  end(true)
})

test('[WAIT-10] two requests that wait for the same ask are counted separately', async () => {
  const { callers, written } = recording()
  const ends = [callers.waits('acme', 'ask_1', false), callers.waits('acme', 'ask_1', false)]
  ends[0]?.(true)

  await vi.advanceTimersByTimeAsync(callerSeenEveryMs)

  expect(written).toEqual(['acme ask_1'])
  ends[1]?.(true)
})

test('[WAIT-10] a retry is recorded soon; a first request and its end are not', async () => {
  const { callers, written } = recording()
  const first = callers.waits('acme', 'first', false)
  const retry = callers.waits('acme', 'retry', true)

  await vi.advanceTimersByTimeAsync(callerBackMs - 1)
  expect(written).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  first(true)
  retry(true)

  expect(written).toEqual(['acme retry'])
  expect(vi.getTimerCount()).toBe(0)
})

test.each([
  ['is recorded at once when it ends earlier with its ask open', true, ['acme ask_1']],
  ['is not recorded when its ask has ended', false, []],
] as const)('[WAIT-10] a retry %s', async (_what, isOpen, expected) => {
  const { callers, written } = recording()

  callers.waits('acme', 'ask_1', true)(isOpen)
  await vi.advanceTimersByTimeAsync(2 * callerSeenEveryMs)

  expect(written).toEqual(expected)
  expect(vi.getTimerCount()).toBe(0)
})

test('[WAIT-10] a slow store gets one write at a time, and none for a request that has ended meanwhile', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { callers, written } = recording(() => promise)
  const ends = ['ask_1', 'ask_2', 'ask_3'].map((id) => callers.waits('acme', id, false))

  await vi.advanceTimersByTimeAsync(3 * callerSeenEveryMs)
  expect(written).toEqual(['acme ask_1'])
  ends[1]?.(true)
  resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(written).toEqual(['acme ask_1', 'acme ask_3'])
  await vi.advanceTimersByTimeAsync(callerSeenEveryMs)
  expect(written).toEqual(['acme ask_1', 'acme ask_3', 'acme ask_1', 'acme ask_3'])
  ends[0]?.(true)
  ends[2]?.(true)
})

test('[WAIT-10] a store that fails is reported, and the next write is tried', async () => {
  const { callers, written, errors } = recording(async () => {
    throw new Error('The store is down.')
  })
  const end = callers.waits('acme', 'ask_1', false)

  await vi.advanceTimersByTimeAsync(2 * callerSeenEveryMs)

  expect(written).toHaveLength(2)
  expect(errors).toEqual([new Error('The store is down.'), new Error('The store is down.')])
  end(true)
})
