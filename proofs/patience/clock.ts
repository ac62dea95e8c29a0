// The clock of the patience proof: real time, or a fake clock that is advanced.
//
// Timers, `Date` and `performance` of this process use the fake clock; sockets do not, so between two fake seconds there
// is some real time for messages to arrive, enough for a busy machine.

import { setImmediate as realTurn } from 'node:timers/promises'
import { install } from '@sinonjs/fake-timers'

export interface Time {
  /** Milliseconds since the start. */
  now(): number
  pass(ms: number): Promise<void>
  /** Advances the time until the promise settles, for an hour at most. */
  passUntil(settled: Promise<unknown>): Promise<void>
  stop(): void
}

const stepMs = 1_000
const realTurns = 12
const realMs = 10
const longestMs = 60 * 60_000

export function turnedTime(): Time {
  const realTimeout = globalThis.setTimeout
  const clock = install({
    now: Date.now(),
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  })
  const beganAt = clock.now
  const step = async () => {
    await clock.tickAsync(stepMs)
    for (let turn = 0; turn < realTurns; turn++) await realTurn()
    await new Promise((resolve) => realTimeout(resolve, realMs))
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
