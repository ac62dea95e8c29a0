import type { AskMeta } from '@assent/core'
import { describe, expect, test } from 'vitest'
import { decideWithinMs } from './ask-deadline.ts'

const s = 1_000
const min = 60 * s
const hour = 60 * min
const operatorSet = (askWaitMs: number) => ({ askWaitMs, isAskWaitDefault: false })
const byDefault = { askWaitMs: 10 * min, isAskWaitDefault: true }
const chosen = (waitMs: number): AskMeta => ({ waitMs })
const usual: AskMeta = { waitMs: 5 * min, isDefault: true }
const unknown = undefined

describe('how long a person may take', () => {
  test.each([
    // The answer has to arrive while a process waits: the earliest timeout applies, whether chosen or default.
    ['tool shorter, held call', byDefault, chosen(4 * s), false, undefined, 4 * s],
    ['gateway shorter, held call', operatorSet(7 * s), chosen(5 * min), false, undefined, 7 * s],
    ['caller shorter, cannot come back', byDefault, chosen(5 * min), false, 20 * s, 20 * s],
    ['a default is not extended in a held call', byDefault, usual, false, undefined, 5 * min],
    ['an unknown timeout, held call', byDefault, unknown, false, undefined, 10 * min],
    ['an unknown timeout and a caller that leaves', byDefault, unknown, false, 45 * s, 45 * s],
    // The call is resumable.
    ['all timeouts are defaults', byDefault, usual, true, undefined, 24 * hour],
    ['the author chose', byDefault, chosen(4 * s), true, undefined, 4 * s],
    ['the author chose more than ten minutes', byDefault, chosen(2 * hour), true, undefined, 2 * hour],
    ['the author chose more than a day', byDefault, chosen(72 * hour), true, undefined, 24 * hour],
    ['the operator chose less', operatorSet(7 * s), usual, true, undefined, 7 * s],
    [
      'the operator chose more than a day, the author nothing',
      operatorSet(72 * hour),
      usual,
      true,
      undefined,
      24 * hour,
    ],
    ['both chose more than a day', operatorSet(72 * hour), chosen(48 * hour), true, undefined, 48 * hour],
    ['a server that is not ours', byDefault, unknown, true, undefined, 10 * min],
    ['a server that is not ours, operator chose', operatorSet(3 * hour), unknown, true, undefined, 3 * hour],
    ['a question of ours without a timeout', byDefault, {}, true, undefined, 10 * min],
    ['no time left', byDefault, chosen(0), false, undefined, 0],
  ])('[WAIT-4] %s', (_case, gateway, asker, isResumable, callerMs, expected) => {
    const waiting = { asker, isResumable, ...(callerMs === undefined ? {} : { callerMs }) }
    expect(decideWithinMs(gateway, waiting)).toBe(expected)
  })

  test('[WAIT-4] the time since the question arrived is subtracted', () => {
    expect(decideWithinMs(byDefault, { asker: chosen(60 * s), isResumable: false, elapsedMs: 12.5 * s })).toBe(47.5 * s)
    expect(decideWithinMs(byDefault, { asker: usual, isResumable: true, elapsedMs: min })).toBe(24 * hour - min)
  })
})
