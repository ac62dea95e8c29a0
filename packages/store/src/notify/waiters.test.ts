import { expect, test } from 'vitest'
import { Waiters } from './waiters.ts'

const longMs = 60_000

test('[STORE-9] a waiter resolves when one of its keys is notified', async () => {
  const waiters = new Waiters()
  const waiter = waiters.open(['a', 'b'])
  const waited = waiter.wait(longMs)

  expect(waiters.notify('c')).toBe(false)
  expect(waiters.notify('b')).toBe(true)
  await waited
})

test('[STORE-9] a notification between two waits is not lost, and resolves one wait', async () => {
  const waiters = new Waiters()
  const waiter = waiters.open(['a'])
  waiters.notify('a')

  await waiter.wait(longMs)
  const startedAt = performance.now()
  await waiter.wait(50)
  expect(performance.now() - startedAt).toBeGreaterThan(40)
})

test('[STORE-9] an aborted wait resolves, and a closed waiter is no longer counted', async () => {
  const waiters = new Waiters()
  let closed = 0
  const waiter = waiters.open(['a', 'b'], () => closed++)
  expect([...waiters.keys]).toEqual(['a', 'b'])
  await waiter.wait(longMs, AbortSignal.abort())
  waiter.close()

  expect([waiters.size, closed, waiters.notify('a')]).toEqual([0, 1, false])
})
