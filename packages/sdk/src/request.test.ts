import { expect, test } from 'vitest'
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
  expect(decodeArguments(JSON.parse(JSON.stringify(given)))).toStrictEqual(parsed)
})
