import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { relayLimits } from '../../limits.ts'
import { cancelledLater } from './cancelled-later.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('[WAIT-11] a cancellation reaches the server later than the answers, with the caller’s reason', () => {
  const cancelling = new AbortController()
  const { signal } = cancelledLater(cancelling.signal)

  cancelling.abort('not needed')
  vi.advanceTimersByTime(relayLimits.cancelAfterAnswerMs - 1)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.reason).toBe('not needed')
})

test('[WAIT-11] a call that was cancelled before its answers are sent is cancelled later too', () => {
  const { signal } = cancelledLater(AbortSignal.abort('not needed'))

  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(relayLimits.cancelAfterAnswerMs)
  expect(signal.reason).toBe('not needed')
})

test('[WAIT-11] a call that is not cancelled stays so, however long its server takes', () => {
  const { signal } = cancelledLater(new AbortController().signal)

  vi.advanceTimersByTime(100 * relayLimits.cancelAfterAnswerMs)
  expect(signal.aborted).toBe(false)
  expect(vi.getTimerCount()).toBe(0)
})

test('[WAIT-11] nothing is cancelled once the server has replied, and no timer or listener is left', () => {
  const before = new AbortController()
  const after = new AbortController()
  const removed = vi.spyOn(after.signal, 'removeEventListener')
  const [first, second] = [cancelledLater(before.signal), cancelledLater(after.signal)]

  before.abort()
  first.end()
  second.end()
  after.abort()
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(relayLimits.cancelAfterAnswerMs)

  expect([first.signal.aborted, second.signal.aborted]).toEqual([false, false])
  expect(removed).toHaveBeenCalledWith('abort', expect.any(Function))
})
