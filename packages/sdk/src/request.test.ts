import { expect, test } from 'vitest'
import { sdkLimits } from './limits.ts'
import { decodeArguments, firstArguments } from './request.ts'

test('[SDK-35] parsed arguments travel only if they differ from what the client sent and can be encoded', () => {
  const raw = [{ env: 'a', list: [1, null] }]
  expect(firstArguments([{ env: 'a', list: [1, null] }], raw)).toEqual({})
  expect(firstArguments([{ env: 'a', run: new AbortController() }], raw)).toEqual({})
  const parsed = [
    {
      id: 1n,
      at: new Date(5),
      url: new URL('https://a.example'),
      tags: new Set(['x']),
      sizes: new Map([['a', Number.NaN]]),
      none: undefined,
      odd: { '': 'date', value: 7 },
    },
  ]
  const { given } = firstArguments(parsed, raw)
  expect(decodeArguments(JSON.parse(JSON.stringify(given)), raw)).toStrictEqual(parsed)
})

test('[SDK-35] members that are as the client sent them do not travel, however large they are', () => {
  const text = 'x'.repeat(sdkLimits.argumentsInStateChars)
  const raw = [{ text, odd: { '': 1 }, list: [1] }]
  const parsed = [{ id: 'generated', text, odd: { '': 1 }, list: [1, 2] }]
  const { given } = firstArguments(parsed, raw)
  expect(JSON.stringify(given).length).toBeLessThan(200)
  const decoded = decodeArguments(JSON.parse(JSON.stringify(given)), raw)
  expect(decoded).toStrictEqual(parsed)
  expect(Object.keys(decoded[0] as object)).toEqual(Object.keys(parsed[0] as object))
  expect(firstArguments([{ id: text, text }], raw)).toEqual({})
  // Not an object on both sides.
  const list = firstArguments([['a'], { '': 1, id: 2 }], [{ a: 1 }, { id: 2 }]).given
  expect(decodeArguments(list ?? null, [{ a: 1 }, { id: 2 }])).toEqual([['a'], { '': 1, id: 2 }])
})
