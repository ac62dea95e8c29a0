import { expect, test } from 'vitest'
import { sdkLimits } from '../limits.ts'
import { notRepeated, outOfOrder } from './diverged.ts'
import { type AskEntry, fingerprintOf, Journal } from './journal.ts'

const entry = (id: string, mark = 'm'): AskEntry => ({ id, fingerprint: mark, label: 'Name?', decideByMs: 5, round: 1 })
const declined = { kind: 'declined' } as const

test('[SDK-2] an ask is found again by its question and by how often it was asked before', () => {
  const journal = new Journal('call_1')
  expect([entry('a'), entry('b', 'n'), entry('c')].map((one) => journal.open(one))).toEqual([0, 1, 2])
  expect(journal.placeOf('m', 0)).toBe(0)
  expect(journal.placeOf('m', 1)).toBe(2)
  expect(journal.placeOf('m', 2)).toBeUndefined()
  expect(journal.placeOf('n', 0)).toBe(1)
  expect(journal.placeOf('o', 0)).toBeUndefined()
  expect([0, 1, 2].map((place) => journal.identityOf(place))).toEqual(['m 1', 'n 1', 'm 2'])
})

test('[SDK-2] an ask ends once, and an unknown ask cannot end', () => {
  const journal = new Journal('call_1', { round: 2, asks: [entry('a')] })
  const ended = { ...entry('a'), ended: { ending: declined, atMs: 4, round: 2 } }
  expect(journal.end(0, declined, 4)).toEqual(ended)
  expect(journal.asks).toEqual([ended])
  for (const place of [0, 1]) {
    expect(() => journal.end(place, { kind: 'accepted' }, 5)).toThrow('Only an open ask can end.')
  }
  expect(journal.asks).toEqual([ended])
})

test('[SDK-10] an ask and a step have the number of the round that first reached them', () => {
  const journal = new Journal('call_1', { round: 3, asks: [entry('a')] })
  journal.open(entry('b'))
  journal.reserve(new Map([['work', 0]]))
  journal.keep('work', { kind: 'done' })
  expect(journal.asks.map(({ round }) => round)).toEqual([1, 3])
  expect(journal.steps.get('work')).toEqual({ entry: { kind: 'done' }, round: 3 })
})

test('[SDK-12] asks and steps are counted together, and one too many is refused', () => {
  const asks = Array.from({ length: sdkLimits.entries - 2 }, (_, at) => entry(`a${at}`))
  const full = () => new Journal('call_1', { asks, steps: [['one', { entry: { kind: 'done' }, round: 1 }]] })
  const refusal = expect.objectContaining({
    code: 'limit_exceeded',
    message: `One call can have at most ${sdkLimits.entries} asks and steps.`,
  })
  const asked = full()
  asked.open(entry('last'))
  expect(() => asked.open(entry('more'))).toThrow(refusal)
  expect(() => asked.reserve(new Map([['more', 0]]))).toThrow(refusal)
  expect(asked.asks).toHaveLength(sdkLimits.entries - 1)
  const stepped = full()
  const pair = new Map([
    ['last', 0],
    ['more', 0],
  ])
  expect(() => stepped.reserve(pair)).toThrow(refusal)
  stepped.reserve(new Map([['last', 7]]))
  expect([stepped.reservedChars, stepped.isReserved('last'), stepped.isReserved('more')]).toEqual([7, true, false])
  // Counted although it has not finished.
  expect(() => stepped.open(entry('more'))).toThrow(refusal)
  expect(() => stepped.reserve(pair)).toThrow(refusal)
  expect(() => stepped.keep('more', { kind: 'done' })).toThrow('Only a step that has a place can be kept.')
  stepped.keep('last', { kind: 'done' })
  expect([...stepped.steps.keys(), stepped.reservedChars]).toEqual(['one', 'last', 0])
})

test('[SDK-10] the out-of-order error names what was before, what is now, and what to do', () => {
  const advice =
    'It is run again for every answer, so it must ask the same questions and run the same steps again: what varies ' +
    'between runs (time, chance, outside data) belongs in a step.'
  const name = { kind: 'ask', label: 'Name?' } as const
  const charge = { kind: 'step', label: 'charge' } as const
  expect(outOfOrder(name, { kind: 'ask', label: 'Age?' })).toMatchObject({
    code: 'out_of_order',
    message: `This handler asked "Name?" before and asks "Age?" now. ${advice}`,
  })
  expect(outOfOrder(name, name).message).toContain('asked "Name?" before and asks it with other options now.')
  expect(outOfOrder(charge, { kind: 'step', label: 'pay' }).message).toContain(
    'ran the step "charge" before and runs the step "pay" now.',
  )
  expect(outOfOrder(charge, undefined).message).toContain('ran the step "charge" before and does not reach it now.')
  expect(notRepeated(name).message).toBe(`This handler asked "Name?" before and has now finished without it. ${advice}`)
})

test('[SDK-2] a fingerprint is half a digest of everything that is shown, and of the surface', () => {
  const question = { kind: 'url', message: 'Sign in', url: 'https://example.com/' } as const
  const asked = { kind: 'url', question, options: { risk: 'notable', reason: 'why' } } as const
  const others: readonly Parameters<typeof fingerprintOf>[0][] = [
    { ...asked, kind: 'form' },
    { ...asked, question: { ...question, url: 'https://example.org/' } },
    { ...asked, options: { risk: 'notable' } },
    { ...asked, options: { risk: 'notable', reason: 'another' } },
    { ...asked, options: { risk: 'notable', reason: 'not well-formed \ud800' } },
    { ...asked, options: { risk: 'notable', reason: 'not well-formed \ud801' } },
    { ...asked, options: { risk: 'destructive', reason: 'why' } },
    { ...asked, options: { ...asked.options, surface: 'client' } },
  ]
  const all = [asked, ...others].map(fingerprintOf)
  for (const fingerprint of all) expect(fingerprint).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(all).size).toBe(all.length)
})

test('[SDK-2] options that the person does not see leave the fingerprint as it is', () => {
  const question = { kind: 'url', message: 'Sign in', url: 'https://example.com/' } as const
  const asked = { kind: 'url', question: { ...question }, options: { risk: 'notable' } } as const
  const again = { ...asked, question, options: { ...asked.options, waitMs: 5_000, fallback: { value: 1 } } }
  expect(fingerprintOf(again)).toBe(fingerprintOf(asked))
})
