// Time for the patience proof: the world's, or one that is turned by hand.
//
// Timers, `Date` and `performance` of this process follow the turned clock; sockets do not, so between two seconds the
// process gets real moments in which messages travel.

import { setImmediate as breathe } from 'node:timers/promises'
import { install } from '@sinonjs/fake-timers'

export interface Time {
  /** Milliseconds since the beginning. */
  now(): number
  pass(ms: number): Promise<void>
  /** Lets time pass until this is settled, within an hour. */
  passUntil(settled: Promise<unknown>): Promise<void>
  stop(): void
}

const stepMs = 1_000
const breaths = 12
const longestMs = 60 * 60_000

export function turnedTime(): Time {
  const clock = install({
    now: Date.now(),
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  })
  const beganAt = clock.now
  const step = async () => {
    await clock.tickAsync(stepMs)
    for (let breath = 0; breath < breaths; breath++) await breathe()
  }
  return {
    now: () => clock.now - beganAt,
    pass: async (ms) => {
      for (let passed = 0; passed < ms; passed += stepMs) await step()
    },
    passUntil: async (settled) => {
      let isSettled = false
      const mark = () => {
        isSettled = true
      }
      settled.then(mark, mark)
      for (let passed = 0; !isSettled && passed < longestMs; passed += stepMs) await step()
    },
    stop: () => clock.uninstall(),
  }
}

export function realTime(): Time {
  const beganAt = performance.now()
  return {
    now: () => performance.now() - beganAt,
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    passUntil: async (settled) => {
      await settled.catch(() => undefined)
    },
    stop: () => undefined,
  }
}
