import { expect, test } from 'vitest'
import { storeLimits } from '../limits.ts'
import { readSignal, signalOf, writeSignal } from './ask-signal.ts'

test.each([
  signalOf('acme', 'ask_1', true, ['person:ann', 'group:ops']),
  signalOf('acme and sons', 'ask_1', false, ['person:ann']),
  signalOf('box', '', false),
])('[STORE-9] a signal is read as it was written: %o', (signal) => {
  expect(readSignal(writeSignal(signal))).toEqual(signal)
})

test('[STORE-9] a signal about an ask with many approvers concerns everyone', () => {
  const approvers = Array.from({ length: storeLimits.signalApprovers + 1 }, (_, index) => `person:p${index}`)

  expect(signalOf('acme', 'ask_1', false, approvers).approvers).toBe('all')
  expect(signalOf('acme', 'ask_1', false, approvers.slice(1)).approvers).toHaveLength(storeLimits.signalApprovers)
})

test.each(['', 'end', 'acme ask_1', 'other ask_1 * acme'])(
  '[STORE-18] a line that is no signal is ignored: %o',
  (line) => {
    expect(readSignal(line)).toBeUndefined()
  },
)
