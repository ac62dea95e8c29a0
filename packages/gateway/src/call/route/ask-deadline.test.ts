import { type AskMeta, askMeta } from '@assent/core'
import { describe, expect, test } from 'vitest'
import { relayLimits } from '../../limits.ts'
import type { RelayState } from '../call-state.ts'
import type { Call, InputRequest } from '../model.ts'
import { decideWithinMs, longestWaitMs, shownWaitMs, storedWaitMs } from './ask-deadline.ts'

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

const wanted = (waitMs: number, isDefault?: true): InputRequest & { kind: 'form' } => {
  const meta = isDefault === undefined ? { waitMs } : { waitMs, isDefault }
  return { kind: 'form', message: 'One?', schema: {}, params: { _meta: askMeta(meta) } }
}
const state = { server: 'deploy', inner: null, schemas: {}, isPrefixed: false }
const held = { ...state, inner: { held: 'call_1' } }
const shared = (leavesAfterMs?: () => number | undefined): InputRequest => ({
  ...wanted(5 * min, true),
  shared: { isOpen: true, oneOf: [], ...(leavesAfterMs === undefined ? {} : { leavesAfterMs }) },
})

describe('how long a stored question stays open', () => {
  test.each<[string, Pick<Call, 'leavesAfterMs'>, InputRequest, RelayState, number]>([
    ['the caller can retry', {}, wanted(5 * min, true), state, 24 * hour],
    ['a server waits inside its call', {}, wanted(5 * min, true), held, 5 * min],
    ['a caller that cannot retry', { leavesAfterMs: () => 20 * s }, wanted(5 * min, true), state, 20 * s],
    ['a caller whose timeout is unknown', { leavesAfterMs: () => undefined }, wanted(5 * min, true), state, 24 * hour],
    ['a caller that stays longer', { leavesAfterMs: () => hour }, wanted(5 * min, true), state, 5 * min],
    ['the first of several callers', { leavesAfterMs: () => 20 * s }, shared(() => 15 * s), state, 15 * s],
    ['the caller itself', { leavesAfterMs: () => 20 * s }, shared(() => 25 * s), state, 20 * s],
    ['another of several callers', {}, shared(() => 15 * s), held, 15 * s],
    ['several callers that can retry', {}, shared(), state, 24 * hour],
    ['open for a while', {}, wanted(60 * s), { ...state, round: { id: 'round', atMs: 99_000 } }, 59 * s],
    ['no time left', {}, wanted(5), held, s],
  ])('[WAIT-4] [WAIT-6] %s', (_case, call, question, at, expected) => {
    expect(storedWaitMs(byDefault, call, question, at, 100_000)).toBe(expected)
  })

  test('[WAIT-4] a question that may belong to no other call has its caller’s timeout', () => {
    const alone = { ...wanted(5 * min), shared: undefined } as unknown as InputRequest
    expect(storedWaitMs(byDefault, {}, alone, held, 0)).toBe(5 * min)
  })
})

test('[WAIT-6] a question that the client shows is not open longer than the asker’s default', () => {
  expect(shownWaitMs(byDefault, wanted(5 * min, true))).toBe(5 * min)
  expect(shownWaitMs(byDefault, wanted(5 * min, true), min)).toBe(4 * min)
})

test('[RUN-3] data of a call is kept as long as any of its questions can be open', () => {
  expect(longestWaitMs(byDefault)).toBe(relayLimits.resumableWaitMs)
  expect(longestWaitMs(operatorSet(72 * hour))).toBe(72 * hour)
})
