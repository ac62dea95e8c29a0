import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type AskEntry, Journal } from '../journal/journal.ts'
import { EarlierEntries } from './earlier-entries.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const ask = (label: string, round: number): AskEntry => ({ id: label, fingerprint: label, label, decideByMs: 5, round })
const journal = new Journal('call_1', {
  round: 3,
  asks: [ask('Name?', 1), ask('Age?', 2)],
  steps: [['work', { entry: { kind: 'done' }, round: 1 }]],
})

test('[SDK-10] waits for the rounds before the given one, and for no other', async () => {
  const earlier = new EarlierEntries(journal, 1_000, () => undefined)
  expect(earlier.before(1)).toBeUndefined()
  const order: string[] = []
  const second = earlier.before(2)?.then(() => order.push('second'))
  const third = earlier.before(3)?.then(() => order.push('third'))
  expect(earlier.missing).toMatchObject({ kind: 'ask', label: 'Name?' })
  earlier.reach('ask 0')
  await Promise.resolve()
  expect(order).toEqual([])
  earlier.reach('step work')
  await second
  expect(order).toEqual(['second'])
  earlier.reach('ask 1')
  await third
  expect([order, earlier.missing, earlier.before(3)]).toEqual([['second', 'third'], undefined, undefined])
  expect(vi.getTimerCount()).toBe(0)
})

test('[SDK-10] reports what is missing when nothing was reached for the time limit, and what waits for it', async () => {
  const onStalled = vi.fn()
  const earlier = new EarlierEntries(journal, 1_000, onStalled)
  void earlier.before(2)
  void earlier.before(3, { kind: 'step', label: 'new' })
  vi.advanceTimersByTime(999)
  earlier.reach('ask 0')
  vi.advanceTimersByTime(999)
  expect(onStalled).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(onStalled).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ label: 'work' }),
    expect.objectContaining({ label: 'new' }),
  )
})

test('[SDK-10] without anything that waits there is no time limit, nor after the end of the round', () => {
  const onStalled = vi.fn()
  const earlier = new EarlierEntries(journal, 1_000, onStalled)
  vi.advanceTimersByTime(10_000)
  void earlier.before(3)
  earlier.stop()
  void earlier.before(3)
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(10_000)
  expect(onStalled).not.toHaveBeenCalled()
})
