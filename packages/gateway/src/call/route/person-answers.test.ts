import { expect, test } from 'vitest'
import type { InputRequest } from '../model.ts'
import { approves, asAsked, isFromPerson, isNo, isYes, problemWith } from './person-answers.ts'

const settings = { unseenAfterMs: 300 }
const unknown = { info: { name: 'some client' } }
// Its own program may decline; it never accepts an empty form by itself.
const claudeCode = { info: { name: 'claude-code' } }
const yes = { result: { action: 'accept', content: { region: 'eu' } } }
const emptyYes = { result: { action: 'accept' } }
const no = { result: { action: 'decline' } }
const cancel = { result: { action: 'cancel' } }

test.each([
  ['a yes with content', unknown, yes, 299, false],
  ['a yes with content', unknown, yes, 300, true],
  ['an empty yes', unknown, emptyYes, 1_199, false],
  ['an empty yes', unknown, emptyYes, 1_200, true],
  ['a yes with empty content', unknown, { result: { action: 'accept', content: {} } }, 1_199, false],
  ['an empty yes of a client that never sends one by itself', claudeCode, emptyYes, 300, true],
  ['a decline', unknown, no, 1_199, false],
  ['a decline', unknown, no, 1_200, true],
  ['a cancel', unknown, cancel, 1_199, false],
  ['a cancel', unknown, cancel, 1_200, true],
  ['a yes before its question, by another clock', unknown, yes, -5, false],
  ['an unknown action', unknown, { result: { action: 'maybe' } }, 60_000, false],
  ['no action', unknown, { result: {} }, 60_000, false],
  ['an error, which counts as a cancel', unknown, { error: { code: -1, message: 'no' } }, 60_000, true],
  ['an error, which counts as a cancel', unknown, { error: { code: -1, message: 'no' } }, 100, false],
] as const)('[ROUTE-2] [ROUTE-12] %s can come from a person: %#', (_what, client, given, afterMs, expected) => {
  expect(isFromPerson(settings, client, given, afterMs)).toBe(expected)
})

test('[ROUTE-2] an answer whose time is unknown counts as a person’s', () => {
  for (const given of [yes, emptyYes, no]) expect(isFromPerson(settings, unknown, given, undefined)).toBe(true)
})

const region: InputRequest = {
  kind: 'form',
  message: 'Which region?',
  schema: {
    type: 'object',
    properties: { region: { type: 'string', enum: ['eu', 'us'] } },
    required: ['region'],
  },
  params: {},
}

test('[FORM-22] a person is asked again only for a form that their answer does not fit', () => {
  const wrong = { result: { action: 'accept', content: { region: 'moon' } } }
  const late = 5_000
  expect(problemWith(settings, unknown, region, { given: wrong, afterMs: late })).toEqual(expect.any(String))
  expect(problemWith(settings, unknown, region, { given: yes, afterMs: late })).toBeUndefined()
  expect(problemWith(settings, unknown, region, { given: no, afterMs: late })).toBeUndefined()
  expect(problemWith(settings, unknown, region, {})).toBeUndefined()
  // A program would answer the same again.
  expect(problemWith(settings, unknown, region, { given: wrong, afterMs: 10 })).toBeUndefined()
  const link: InputRequest = { kind: 'url', message: 'Open it.', url: 'https://example.com', params: {} }
  expect(problemWith(settings, unknown, link, { given: wrong, afterMs: late })).toBeUndefined()
})

test('[FORM-19] a valid answer gets the types of its schema, and other answers stay unchanged', () => {
  const schema = { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } }
  const state = {
    server: 'deploy',
    inner: null,
    isPrefixed: false,
    schemas: { list: schema, moved: schema, link: true, own: false },
  }
  const given = { result: { action: 'accept', content: { tags: 'a, b' } } }
  const others = { link: { given }, own: { given }, constructor: { given }, moved: {} }

  const { list, ...rest } = asAsked(state, { list: { given, afterMs: 5 }, ...others })

  expect(list).toEqual({ given: { result: { action: 'accept', content: { tags: ['a', 'b'] } } }, afterMs: 5 })
  expect(rest).toEqual(others)
})

test('[ROUTE-3] only an accept is a yes, and only a decline or a cancel is a no', () => {
  expect([yes, no, cancel, { result: {} }, { error: { code: 1, message: '' } }].map(isYes)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
  expect([yes, no, cancel, { result: {} }, { error: { code: 1, message: '' } }].map(isNo)).toEqual([
    false,
    true,
    true,
    false,
    false,
  ])
  expect(isYes(undefined)).toBe(false)
})

test('[ROUTE-13] a form without fields approves something, a link does not, and an unreadable form does', () => {
  expect(approves({ type: 'object', properties: {} })).toBe(true)
  expect(approves(true)).toBe(false)
  expect(approves({ type: 'object', properties: { region: { type: 'string' } }, required: ['region'] })).toBe(false)
  expect(approves({ type: 'nonsense' })).toBe(true)
  expect(approves(undefined)).toBe(true)
})
