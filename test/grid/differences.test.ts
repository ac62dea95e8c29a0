import { expect, test } from 'vitest'
import { compare, type Listed, stale } from '../../grid/compare/differences.ts'
import { normalSeen } from '../../grid/compare/normal.ts'
import { prefixedNames } from '../../grid/exchanges/names.ts'

const at = { where: 'a case', client: '2025' } as const
const notes = (...entries: [string, unknown][]) => new Map(entries)
const listed: Listed = { where: 'a case', step: 'call', gateway: 'broken', reason: 'On purpose.' }

test('[HOUSE-12] a difference that is not listed is reported, also if one side has no value', () => {
  const { unexplained } = compare(at, notes(['call', 1], ['list', [1]]), notes(['call', 2], ['more', 3]), [])

  expect(unexplained.map(({ step }) => step)).toEqual(['call', 'list', 'more'])
})

test('[HOUSE-12] the order of object members is ignored, the order of list items is compared', () => {
  const { unexplained } = compare(
    at,
    notes(['members', { a: 1, b: 2 }], ['items', [1, 2]]),
    notes(['members', { b: 2, a: 1 }], ['items', [2, 1]]),
    [],
  )

  expect(unexplained.map(({ step }) => step)).toEqual(['items'])
})

test('[HOUSE-12] a listed difference covers only its own step, value and client', () => {
  const explained = compare(at, notes(['call', 1]), notes(['call', 'broken']), [listed])
  const other = compare(at, notes(['call', 1]), notes(['call', 2]), [listed])
  const ofOthers = compare(at, notes(['call', 1]), notes(['call', 'broken']), [{ ...listed, client: '2026' }])

  expect(explained).toMatchObject({ unexplained: [], listed: [listed] })
  expect(other.unexplained).toHaveLength(1)
  expect(ofOthers.unexplained).toHaveLength(1)
})

test('[HOUSE-12] a listed difference that no longer occurs is reported', () => {
  const same = compare(at, notes(['call', 1]), notes(['call', 1]), [listed])
  const differs = compare({ ...at, client: '2026' }, notes(['call', 1]), notes(['call', 'broken']), [listed])

  expect(stale([same])).toEqual([listed])
  expect(stale([same, differs])).toEqual([])
})

test('[HOUSE-12] only fields that the other generation does not have are left out', () => {
  const seen = { result: { resultType: 'complete', ttlMs: 0, content: [], _meta: { own: 1 } } }

  expect(normalSeen(seen, { isMixed: true })).toEqual({ result: { content: [], _meta: { own: 1 } } })
  expect(normalSeen(seen, { isMixed: false })).toEqual(seen)
})

test('[HOUSE-12] an error counts as a broken server only if the gateway reports it', () => {
  const error = { code: -32_000, message: 'The server one cannot be used now.' }

  expect(normalSeen({ error }, { isMixed: false })).toBe('broken')
  expect(normalSeen({ error: { ...error, message: 'No.' } }, { isMixed: false })).toMatchObject({
    error: { code: -32_000 },
  })
})

test('[HOUSE-12] names and URIs are mapped by the documented prefixes', () => {
  const names = prefixedNames('red')
  const value = { contents: [{ uri: 'a://b', text: 'a://b' }], templates: [{ uriTemplate: 'a://{b}' }] }

  expect(names.of('tool')).toBe('red__tool')
  expect(names.within(value)).toEqual({
    contents: [{ uri: 'red+a://b', text: 'a://b' }],
    templates: [{ uriTemplate: 'red+a://{b}' }],
  })
})
