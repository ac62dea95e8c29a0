import { expect, test } from 'vitest'
import { configOf, mistakes, oneServer } from './read-config.suite.ts'
import { periodsOf } from './retention-settings.ts'

const dayMs = 24 * 60 * 60 * 1_000
const periods = (text: string) => periodsOf(configOf(`${oneServer}\n${text}`).retention)

test('[RETAIN-7] `retention` says how long answers, the record and recorded calls are kept', () => {
  expect(periods('retention: { answers: 30d, record: 7y }')).toEqual({
    answersMs: 30 * dayMs,
    recordMs: 7 * 365 * dayMs,
    callsMs: 90 * dayMs,
  })
  expect(periods('retention: { record: 60d }')).toMatchObject({ callsMs: 60 * dayMs })
  expect(periods('retention: { calls: 1y }')).toMatchObject({ callsMs: 365 * dayMs })
})

test('[RETAIN-7] without it, everything but recorded calls is kept', () => {
  expect(periods('')).toEqual({ answersMs: undefined, recordMs: undefined, callsMs: 90 * dayMs })
})

test.each([
  ['{ answers: 8d, record: 7d }', /retention\.answers is longer than retention\.record/],
  ['{ calls: 8d, record: 7d }', /retention\.calls is longer than retention\.record/],
  ['{ answers: 12h }', /out of range/],
  ['{ record: 101y }', /out of range/],
  ['{ answers: 30 }', /no unit/],
  ['{ answer: 30d }', /Did you mean|answers/],
])('[RETAIN-7] retention: %s is refused', (text, expected) => {
  expect(mistakes(`${oneServer}\nretention: ${text}`).join('\n')).toMatch(expected)
})
