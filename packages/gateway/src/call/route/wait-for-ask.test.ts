import type { Ask } from '@assent/core'
import type { Store } from '@assent/store'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { relayLimits } from '../../limits.ts'
import { waitForAsk, withinOrFail } from './wait-for-ask.ts'

const { storeGraceMs, storeRetryMs } = relayLimits
const ask = { id: 'ask_1' } as Ask
const never = new Promise<never>(() => undefined)
const timedOut = { code: 'store_unavailable', message: 'The store did not respond in time.' }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A store whose waits have these results, one after the other. */
function waiting(timeoutMs: number, ...results: readonly (() => Promise<Ask | undefined>)[]) {
  const timeouts: number[] = []
  const errors: unknown[] = []
  const leaving = new AbortController()
  const wait = (tenant: string, id: string, options: { timeoutMs: number; signal: AbortSignal }) => {
    expect([tenant, id, options.signal]).toEqual(['acme', 'ask_1', leaving.signal])
    timeouts.push(options.timeoutMs)
    const result = results[Math.min(timeouts.length, results.length) - 1] ?? (() => never)
    return result()
  }
  const store = { asks: { wait } } as unknown as Store
  const outcome = waitForAsk(store, { tenant: 'acme', id: 'ask_1' }, timeoutMs, leaving.signal, (error) =>
    errors.push(error),
  )
  return { outcome, timeouts, errors, leaving }
}

const fails = async () => {
  throw new Error('The store is down.')
}

test('[FLEET-10] a store that fails for a moment is asked again, for the rest of the time, and reported once', async () => {
  const { outcome, timeouts, errors } = waiting(1_000, fails, fails, async () => ask)

  await vi.advanceTimersByTimeAsync(2 * storeRetryMs)

  expect(await outcome).toBe(ask)
  expect(timeouts).toEqual([1_000, 1_000 - storeRetryMs, 1_000 - 2 * storeRetryMs])
  expect(errors).toEqual([new Error('The store is down.')])
})

test('[FLEET-10] an ask that does not exist is not waited for again', async () => {
  const { outcome, timeouts, errors } = waiting(1_000, async () => undefined)

  expect(await outcome).toBeUndefined()
  expect([timeouts.length, errors.length]).toEqual([1, 0])
})

test('[FLEET-12] a store that fails until the time is up gives no answer, and the wait ends on time', async () => {
  const timeoutMs = storeRetryMs + 100
  const { outcome, timeouts } = waiting(timeoutMs, fails)
  let end: unknown
  void outcome.then((value) => (end = value))

  await vi.advanceTimersByTimeAsync(timeoutMs - 1)
  expect(end).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(end).toBe('unknown')
  expect(timeouts).toEqual([timeoutMs, 100, 0])
})

test('[FLEET-12] without any time left the store is read once', async () => {
  const { outcome, timeouts } = waiting(-5, fails)

  expect(await outcome).toBe('unknown')
  expect(timeouts).toEqual([0])
})

test('[FLEET-12] a store that hangs times out a little after the deadline', async () => {
  const { outcome, errors } = waiting(1_000, () => never)
  let end: unknown
  void outcome.then((value) => (end = value))

  await vi.advanceTimersByTimeAsync(1_000 + storeGraceMs - 1)
  expect(end).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(end).toBe('unknown')
  expect(errors).toEqual([expect.objectContaining(timedOut)])
})

test('[FLEET-12] a caller that leaves while the store hangs waits only a little longer', async () => {
  const { outcome, leaving } = waiting(3_600_000, () => never)
  let end: unknown
  void outcome.then((value) => (end = value))

  await vi.advanceTimersByTimeAsync(10)
  leaving.abort()
  await vi.advanceTimersByTimeAsync(storeGraceMs - 1)
  expect(end).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(end).toBe('unknown')
})

test('[FLEET-12] a caller that leaves while the store is down ends the wait at once', async () => {
  const { outcome, leaving, timeouts } = waiting(3_600_000, fails)
  await vi.advanceTimersByTimeAsync(10)
  leaving.abort()
  await vi.advanceTimersByTimeAsync(0)

  // One more attempt, which may find that the person has answered meanwhile.
  expect(await outcome).toBe('unknown')
  expect(timeouts).toHaveLength(2)
})

test('[FLEET-12] work that a request waits for fails after the grace period; its result and error pass before', async () => {
  await expect(withinOrFail(Promise.resolve(7), 0)).resolves.toBe(7)
  await expect(withinOrFail(Promise.reject(new Error('no')), 0)).rejects.toThrow('no')

  const late = withinOrFail(never, 50).catch((error: unknown) => error)
  let isOver = false
  void late.then(() => (isOver = true))
  await vi.advanceTimersByTimeAsync(50 + storeGraceMs - 1)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await late).toMatchObject(timedOut)
})

test('[FLEET-12] work whose caller has left before it began has only the grace period', async () => {
  const late = withinOrFail(never, 3_600_000, AbortSignal.abort()).catch((error: unknown) => error)
  let isOver = false
  void late.then(() => (isOver = true))

  await vi.advanceTimersByTimeAsync(storeGraceMs - 1)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await late).toMatchObject(timedOut)
})

test('[FLEET-12] a wait of a month does not overflow the timer', async () => {
  const late = withinOrFail(never, 60 * 24 * 3_600_000)
  let isOver = false
  void late.catch(() => undefined).then(() => (isOver = true))

  await vi.advanceTimersByTimeAsync(2 ** 31 - 2)
  expect(isOver).toBe(false)
})

test('[FLEET-12] finished work leaves no timer and no listener behind', async () => {
  const leaving = new AbortController()
  const added = vi.spyOn(leaving.signal, 'addEventListener')
  const removed = vi.spyOn(leaving.signal, 'removeEventListener')
  const { promise, resolve } = Promise.withResolvers<void>()
  const work = withinOrFail(promise, 1_000, leaving.signal)
  leaving.abort()
  expect(vi.getTimerCount()).toBe(2)
  resolve()
  await work

  expect(vi.getTimerCount()).toBe(0)
  expect(added).toHaveBeenCalledWith('abort', expect.any(Function), { once: true })
  expect(removed).toHaveBeenCalledWith('abort', added.mock.calls[0]?.[1])
})
