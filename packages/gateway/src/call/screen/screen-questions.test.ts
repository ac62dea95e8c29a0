import { askLimits } from '@assent/core'
import { expect, test } from 'vitest'
import { canBeAsked, requiredFor } from '../capabilities.ts'
import type { InputRequest } from '../model.ts'
import { rejections, screenResponse } from './screen-questions.ts'

const schema = { type: 'object', properties: { region: { type: 'string', minLength: 2 } }, required: ['region'] }

function form(changes: Partial<InputRequest & { kind: 'form' }> = {}): InputRequest {
  return { kind: 'form', message: 'Which region?', schema, params: {}, ...changes }
}

function link(url: string): InputRequest {
  return { kind: 'url', message: 'Look here.', url, params: {} }
}

test('[RELAY-4] valid questions are not rejected', () => {
  const all = { a: form(), b: link('https://example.com/'), c: { kind: 'roots', params: {} } } as const

  expect(rejections(all)).toEqual({})
  expect(rejections({ d: { kind: 'sampling', params: {} } })).toEqual({})
})

test.each<[string, InputRequest, RegExp]>([
  ['an invalid form', form({ schema: null }), /at \//],
  ['a form with an object in it', form({ schema: { type: 'object', properties: { a: { type: 'object' } } } }), /\/a/],
  ['a message that is too long', form({ message: 'x'.repeat(askLimits.messageChars + 1) }), /characters/],
  ['a password', form({ schema: { type: 'object', properties: { password: { type: 'string' } } } }), /password/i],
  ['a secret named in the message', form({ message: 'Enter your API key' }), /key/i],
  ['an invalid link', link('nowhere'), /./],
  ['a script', link('javascript:alert(1)'), /http/],
  ['a link without TLS', link('http://example.com'), /https/],
])('[RELAY-4] %s is refused with a reason, and other questions of the round are not', (_what, wanted, why) => {
  const refused = rejections({ fine: form(), bad: wanted })

  expect(Object.keys(refused)).toEqual(['bad'])
  expect(refused.bad?.message).toMatch(why)
  expect(rejections({ bad: wanted })).toEqual({ bad: refused.bad })
})

test('[RELAY-4] with too many questions, all are rejected', () => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`q${n}`, form()]))

  expect(Object.keys(rejections(many))).toHaveLength(17)
})

test.each([
  [{ action: 'accept', content: { region: 'eu' } }],
  [{ action: 'decline' }],
  [{ action: 'cancel' }],
  [{ action: 'decline', content: { region: 7 }, _meta: {} }],
])('[RELAY-5] %j is a valid answer and stays unchanged', (result) => {
  const given = { result }

  expect(screenResponse(schema, given)).toBe(given)
})

const noFit = {
  result: { action: 'cancel', _meta: { 'assent/no-answer': 'malformed', 'assent/reason': expect.any(String) } },
  isUnfit: true,
}

test.each([
  [{ action: 'accept' }],
  [{ action: 'accept', content: {} }],
  [{ action: 'accept', content: { region: 'x' } }],
  [{ action: 'accept', content: ['eu'] }],
  [{ action: 'ACCEPT', content: { region: 'eu' } }],
  [{ action: true, content: { region: 'eu' } }],
  [{}],
])('[RELAY-5] %j is not a valid answer', (result) => {
  expect(screenResponse(schema, { result })).toMatchObject(noFit)
})

test('[RELAY-5] [FORM-21] other properties are dropped, unless the schema or an approval forbids them', () => {
  const result = { action: 'accept', content: { region: 'eu', more: 1 } }
  const empty = { type: 'object', properties: {} }

  expect(screenResponse(schema, { result })).toEqual({ result: { action: 'accept', content: { region: 'eu' } } })
  expect(screenResponse({ ...schema, additionalProperties: false }, { result })).toMatchObject(noFit)
  expect(screenResponse(empty, { result: { action: 'accept', content: { approved: true } } })).toMatchObject(noFit)
  expect(screenResponse(empty, { result: { action: 'accept', content: {} } })).toEqual({
    result: { action: 'accept', content: {} },
  })
})

test('[RELAY-5] [FORM-22] the reason names the field and what it takes, and nothing of the answer', () => {
  const given = screenResponse(schema, { result: { action: 'accept', content: { region: 'ü' } } })

  expect(given).toMatchObject({ result: { _meta: { 'assent/reason': 'region: Enter at least 2 characters.' } } })
  expect(JSON.stringify(given)).not.toContain('ü')
})

test('[RELAY-5] an accept of a link needs no content, an unknown action is a cancel, an error stays an error', () => {
  const error = { error: { code: -1, message: 'broken' } }

  expect(screenResponse(undefined, { result: { action: 'accept' } })).toEqual({ result: { action: 'accept' } })
  expect(screenResponse(undefined, { result: { action: 'ok' } })).toMatchObject(noFit)
  expect(screenResponse(schema, error)).toBe(error)
})

test('[RELAY-5] an unreadable form accepts nothing, and each form is checked separately', () => {
  const yes = { result: { action: 'accept', content: { n: 4 } } }
  const atMost = (maximum: number) => ({ type: 'object', properties: { n: { type: 'integer', maximum } } })
  const large = { type: 'object', properties: { n: { type: 'integer', description: 'd'.repeat(2_000) } } }

  expect(screenResponse({ type: 'array' }, yes)).toMatchObject(noFit)
  for (let n = 0; n < 300; n++) {
    expect(screenResponse(atMost(n), yes)).toMatchObject(n < 4 ? noFit : yes)
  }
  expect(screenResponse(large, yes)).toBe(yes)
})

test.each([
  [{}, []],
  [{ elicitation: {} }, ['form']],
  [{ elicitation: { form: {} } }, ['form']],
  [{ elicitation: { url: {} } }, ['url']],
  [{ elicitation: { form: {}, url: {} } }, ['form', 'url']],
  [{ elicitation: { form: true } }, []],
  [{ elicitation: true }, []],
  [{ sampling: {}, roots: { listChanged: true } }, ['sampling', 'roots']],
])('[RELAY-3] a client that declares %j can be asked %j', (capabilities, kinds) => {
  const all = ['form', 'url', 'sampling', 'roots'] as const

  expect(all.filter((kind) => canBeAsked(capabilities, kind))).toEqual(kinds)
  expect(all.filter((kind) => canBeAsked(requiredFor(kind), kind))).toEqual([...all])
})
