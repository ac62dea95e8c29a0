import { digestOf } from '@assent/core'
import { expect, test } from 'vitest'
import type { Description } from '../ask/describe.ts'
import { sdkLimits } from '../limits.ts'
import { type AskEntry, fingerprintOf, Journal, outOfOrder } from './journal.ts'

const entry = (id: string, mark = 'm'): AskEntry => ({ id, fingerprint: mark, label: 'Name?', decideByMs: 5 })
const declined = { kind: 'declined' } as const

test('[SDK-2] an ask is found again by its question and by how often it was asked before', () => {
  const journal = new Journal('call_1')
  expect([entry('a'), entry('b', 'n'), entry('c')].map((one) => journal.open(one))).toEqual([0, 1, 2])
  expect(journal.placeOf('m', 0)).toBe(0)
  expect(journal.placeOf('m', 1)).toBe(2)
  expect(journal.placeOf('m', 2)).toBeUndefined()
  expect(journal.placeOf('n', 0)).toBe(1)
  expect(journal.placeOf('o', 0)).toBeUndefined()
})

test('[SDK-2] an ask ends once, and an unknown ask cannot end', () => {
  const journal = new Journal('call_1', [entry('a')])
  const ended = { ...entry('a'), ended: { ending: declined, atMs: 4 } }
  expect(journal.end(0, declined, 4)).toEqual(ended)
  expect(journal.asks).toEqual([ended])
  for (const place of [0, 1]) {
    expect(() => journal.end(place, { kind: 'accepted' }, 5)).toThrow('Only an open ask can end.')
  }
  expect(journal.asks).toEqual([ended])
})

test('[SDK-8] an ask that was asked concurrently is marked, and only that one', () => {
  const journal = new Journal('call_1', [entry('a'), entry('b')])
  journal.setConcurrent(1)
  journal.setConcurrent(2)
  expect(journal.asks).toEqual([entry('a'), { ...entry('b'), isConcurrent: true }])
})

test('[SDK-12] asks and steps are counted together, and one too many is refused', () => {
  const asks = Array.from({ length: sdkLimits.entries - 2 }, (_, at) => entry(`a${at}`))
  const full = () => new Journal('call_1', asks, [['one', { kind: 'done' }]])
  const refusal = expect.objectContaining({
    code: 'limit_exceeded',
    message: `One call can have at most ${sdkLimits.entries} asks and steps.`,
  })
  const asked = full()
  asked.open(entry('last'))
  expect(() => asked.open(entry('more'))).toThrow(refusal)
  expect(() => asked.keep('more', { kind: 'done' })).toThrow(refusal)
  expect(asked.asks).toHaveLength(sdkLimits.entries - 1)
  const stepped = full()
  stepped.keep('last', { kind: 'done' })
  expect(() => stepped.keep('more', { kind: 'done' })).toThrow(refusal)
  expect([...stepped.steps.keys()]).toEqual(['one', 'last'])
})

test('[SDK-10] the out-of-order error names the question before, the question now, and what to do', () => {
  const advice =
    'It is run again for every answer, so it must ask the same questions again: what varies between runs (time, chance, ' +
    'outside data) belongs in a step.'
  expect(outOfOrder('Name?', 'Age?')).toMatchObject({
    code: 'out_of_order',
    message: `This handler asked "Name?" before and asks "Age?" now. ${advice}`,
  })
  expect(outOfOrder('Name?', 'Name?').message).toBe(
    `This handler asked "Name?" before and asks it with other options now. ${advice}`,
  )
})

test('[SDK-2] a fingerprint is the first half of the digest of the question and its kind', () => {
  const question = { kind: 'url', message: 'Sign in', url: 'https://example.com/' } as const
  const description = { kind: 'link', question } as unknown as Description
  const digest = digestOf('ask v1', { kind: 'link', question })
  expect(fingerprintOf(description)).toHaveLength(32)
  expect(digest.startsWith(`sha256:${fingerprintOf(description)}`)).toBe(true)
})
