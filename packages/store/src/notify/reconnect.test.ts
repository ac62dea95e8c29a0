import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { Reconnect } from './reconnect.ts'

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
  })
})

/** The delay until each of several scheduled connections, in milliseconds. */
function delaysOf(reconnect: Reconnect, count: number): number[] {
  return Array.from({ length: count }, () => {
    const scheduledAt = Date.now()
    let connectedAt = Number.NaN
    reconnect.schedule(() => {
      connectedAt = Date.now()
    })
    vi.runAllTimers()
    return connectedAt - scheduledAt
  })
}

test('[STORE-18] the delay before a lost connection is opened again doubles, up to five seconds', () => {
  expect(delaysOf(new Reconnect(), 8)).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
})

test('[STORE-18] after a successful connection the delay is short again', () => {
  const reconnect = new Reconnect()
  delaysOf(reconnect, 5)
  reconnect.succeeded()

  expect(delaysOf(reconnect, 2)).toEqual([100, 200])
})

test('[STORE-18] a cancelled reconnection does not happen', () => {
  const reconnect = new Reconnect()
  const connect = vi.fn()
  reconnect.schedule(connect)
  expect(reconnect.isScheduled).toBe(true)
  reconnect.cancel()
  vi.runAllTimers()

  expect(reconnect.isScheduled).toBe(false)
  expect(connect).not.toHaveBeenCalled()
})
