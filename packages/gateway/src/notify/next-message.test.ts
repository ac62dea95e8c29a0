import type { AskState } from '@assent/core'
import type { DueMessage } from '@assent/store'
import { expect, test } from 'vitest'
import { notifyLimits } from './limits.ts'
import { anAsk, minuteMs, noon } from './message-asks.suite.ts'
import { nextAfter, retryAtMs, retryPauseMs, stepFor as stepWithReminder } from './next-message.ts'

function due(changes: Partial<DueMessage> = {}): DueMessage {
  const lease = { owner: 'one', leaseUntilMs: 0 }
  return { tenant: 'acme', askId: 'ask', stage: 'raised', attempts: 1, done: [], ...lease, ...changes }
}

const remindBeforeMs = 10 * minuteMs

function stepFor(message: DueMessage, ask: Parameters<typeof stepWithReminder>[1], nowMs: number) {
  return stepWithReminder(message, ask, nowMs, remindBeforeMs)
}

const expired: AskState = { kind: 'expired', atMs: noon + 60 * minuteMs }

test('[MESSAGE-2] an open ask is announced, and its reminder is sent', () => {
  const ask = anAsk()

  expect(stepFor(due(), ask, noon)).toEqual({ do: 'send', kind: 'raised', attempts: 1, done: [] })
  expect(stepFor(due({ stage: 'expiring', attempts: 2, done: ['chat'] }), ask, noon)).toEqual({
    do: 'send',
    kind: 'expiring',
    attempts: 2,
    done: ['chat'],
  })
})

test('[MESSAGE-2] once an ask has ended only its end is reported, to all recipients', () => {
  const ended = anAsk({}, expired)
  const end = { do: 'send', kind: 'ended', attempts: 1, done: [] }

  expect(stepFor(due({ attempts: 2, done: ['chat'] }), ended, noon)).toEqual(end)
  expect(stepFor(due({ stage: 'expiring', done: ['chat'] }), ended, noon)).toEqual(end)
  expect(stepFor(due({ stage: 'waiting' }), ended, noon)).toEqual(end)
  expect(stepFor(due({ stage: 'ended', attempts: 3, done: ['chat'] }), ended, noon)).toEqual({
    ...end,
    attempts: 3,
    done: ['chat'],
  })
})

test('[MESSAGE-2] if an ask ends before the first attempt to announce it, no message is sent', () => {
  expect(stepFor(due(), anAsk({}, expired), noon)).toEqual({ do: 'remove' })
  expect(stepFor(due(), undefined, noon)).toEqual({ do: 'remove' })
})

test('[MESSAGE-2] a message that is due while the ask is still open waits for its end', () => {
  const ask = anAsk()

  expect(stepFor(due({ stage: 'waiting' }), ask, noon)).toMatchObject({
    do: 'wait',
    next: { stage: 'waiting', dueAtMs: ask.decideByMs },
  })
  expect(stepFor(due({ stage: 'waiting' }), ask, ask.decideByMs)).toMatchObject({
    next: { dueAtMs: ask.decideByMs + notifyLimits.pollMs },
  })
})

test('[MESSAGE-2] the reminder is sent the configured time before the deadline, and not in the first half', () => {
  const ask = anAsk()
  const waiting = { stage: 'waiting', dueAtMs: ask.decideByMs, attempts: 0, done: [] }

  expect(nextAfter('raised', ask, noon, 10 * minuteMs)).toEqual({
    stage: 'expiring',
    dueAtMs: noon + 50 * minuteMs,
    attempts: 0,
    done: [],
  })
  expect(nextAfter('raised', ask, noon, 30 * minuteMs)).toEqual(waiting)
  expect(nextAfter('raised', ask, noon, 0)).toEqual(waiting)
  // The announcement took so long that the time for the reminder has passed.
  expect(nextAfter('raised', ask, noon + 51 * minuteMs, 10 * minuteMs)).toEqual(waiting)
  expect(nextAfter('expiring', ask, noon, 10 * minuteMs)).toEqual(waiting)
  expect(nextAfter('ended', ask, noon, 10 * minuteMs)).toBeUndefined()
})

test('[MESSAGE-2] an announcement that keeps failing is overtaken by the reminder, for all recipients', () => {
  const ask = anAsk()
  const failing = due({ attempts: 4, done: ['mail'] })
  const remindAt = noon + 50 * minuteMs

  expect(retryAtMs('raised', ask, noon, 2 * minuteMs, remindBeforeMs)).toBe(noon + 2 * minuteMs)
  expect(retryAtMs('raised', ask, noon, 55 * minuteMs, remindBeforeMs)).toBe(remindAt)
  expect(retryAtMs('expiring', ask, remindAt, 55 * minuteMs, remindBeforeMs)).toBe(remindAt + 55 * minuteMs)
  expect(stepFor(failing, ask, remindAt - 1)).toMatchObject({ kind: 'raised', attempts: 4, done: ['mail'] })
  expect(stepFor(failing, ask, remindAt)).toEqual({ do: 'send', kind: 'expiring', attempts: 1, done: [] })
  // The first attempt is an announcement, however late it is.
  expect(stepFor(due(), ask, remindAt)).toMatchObject({ kind: 'raised', attempts: 1 })
})

test('[MESSAGE-6] pauses grow after each failed attempt, until there is no further attempt', () => {
  const pauses = notifyLimits.retryMs.map((_, failed) => retryPauseMs(failed + 1, () => 0.5))

  expect(pauses).toEqual(notifyLimits.retryMs)
  expect(pauses).toEqual(pauses.toSorted((a, b) => (a ?? 0) - (b ?? 0)))
  expect(retryPauseMs(notifyLimits.retryMs.length + 1, () => 0.5)).toBeUndefined()
  expect(retryPauseMs(1, () => 0)).toBe(4_500)
  expect(retryPauseMs(1, () => 1)).toBe(5_500)
})

test('[MESSAGE-6] a receiver can request a longer pause, up to a limit', () => {
  expect(retryPauseMs(1, () => 0.5, 60_000)).toBe(60_000)
  expect(retryPauseMs(3, () => 0.5, 60_000)).toBe(120_000)
  expect(retryPauseMs(1, () => 0.5, 10 ** 9)).toBe(notifyLimits.retryAfterMostMs)
})

test('[MESSAGE-6] all attempts of one message fit into the week after which its row is deleted', () => {
  expect(notifyLimits.retryMs.reduce((sum, pause) => sum + pause, 0)).toBeLessThan(7 * 24 * 60 * minuteMs)
  expect(notifyLimits.leaseMs).toBeGreaterThan(notifyLimits.startWithinMs + notifyLimits.mailTotalMs)
  expect(notifyLimits.leaseMs).toBeGreaterThan(notifyLimits.startWithinMs + notifyLimits.webhookMs)
})
