import { expect, test } from 'vitest'
import { clientLimits } from '../limits.ts'
import { Stalls } from './stalls.ts'

const { stallTickMs: tickMs, stallsWatchedMs: watchedMs } = clientLimits

/** With a clock that the test moves; its real timer never gets to run. */
function watched(): { stalls: Stalls; pass: (ms: number) => void } {
  let now = 1_000
  const stalls = new Stalls(() => now)
  stalls.watch()
  const pass = (ms: number) => {
    now += ms
  }
  return { stalls, pass }
}

test('[CLIENT-7] a process that is not blocked loses no time', () => {
  const { stalls, pass } = watched()

  for (let ticks = 0; ticks < 20; ticks++) {
    pass(tickMs)
    stalls.tick()
  }

  expect(stalls.within(20 * tickMs)).toBe(0)
})

test('[CLIENT-7] of a stall only one tick counts, also before the timer could run', () => {
  const { stalls, pass } = watched()

  pass(3_400)

  expect(stalls.within(3_400)).toBe(3_400 - tickMs)
})

test('[CLIENT-7] a stall before the question is not subtracted', () => {
  const { stalls, pass } = watched()
  pass(5_000)
  stalls.tick()

  pass(tickMs)

  expect(stalls.within(tickMs)).toBe(0)
  expect(stalls.within(tickMs + 50)).toBe(50)
})

test('[CLIENT-7] the measurement ends some time after the last question, and begins again with the next', () => {
  const { stalls, pass } = watched()
  pass(watchedMs)
  stalls.tick()

  pass(10_000)
  expect(stalls.within(10_000)).toBe(0)

  stalls.watch()
  pass(2_000)
  expect(stalls.within(2_000)).toBe(2_000 - tickMs)
})
