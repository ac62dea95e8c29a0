// A step for the tests of steps.

import type { StepContext, StepOptions } from '../ask/step.ts'

const signal = new AbortController().signal

export const stepOf = (work: (context: StepContext) => unknown, options: StepOptions = {}) => ({
  name: 'work',
  label: 'work',
  callId: 'call_1',
  work,
  options,
  signal,
  hasFailed: () => false,
})
