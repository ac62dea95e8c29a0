// Questions and answers at the limits of the screen, and open questions at the limits of their number.

import { expect, test } from 'vitest'
import { relayLimits } from '../../limits.ts'
import type { Call, InputRequest } from '../model.ts'
import { Naming } from '../naming.ts'
import { noTelemetry } from '../telemetry-port.ts'
import { matches } from '../tool-rules.ts'
import { OpenAskLimits } from './open-limits.ts'
import { checkResponse, nameGiven, rejections } from './screen-questions.ts'

const region = { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] }
const form = (schema: object = region): InputRequest => ({
  kind: 'form',
  message: 'Which region?',
  schema: schema as never,
  params: {},
})

test('[RELAY-4] a question whose name is too long is refused', () => {
  const longest = 'k'.repeat(relayLimits.askKeyChars)
  expect(rejections({ [longest]: form() })).toEqual({})
  expect(rejections({ [`${longest}k`]: form() })).toMatchObject({ [`${longest}k`]: { why: 'too-large' } })
})

test('[RELAY-4] options that a person cannot tell apart are refused', () => {
  const same = { type: 'object', properties: { to: { type: 'string', enum: ['ann', 'ann\u200b'] } } }
  expect(rejections({ q: form(same) })).toMatchObject({ q: { why: 'schema' } })
})

test('[RELAY-5] an answer without content does not fit, and the reason names no field', () => {
  const given = { result: { action: 'accept' } }
  const checked = checkResponse(region, given)
  expect(checked).toMatchObject({ ok: false, reason: expect.any(String) })
  expect(checkResponse({ type: 'object', properties: {} }, given)).toEqual({ ok: true, given })
  expect(checkResponse('no form', given)).toEqual({ ok: false, reason: 'The form cannot be read.' })
  expect(nameGiven('no form', given)).toBeUndefined()
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`f${at}`, '']))
  expect(checkResponse(region, { result: { action: 'accept', content: many } })).toEqual({
    ok: false,
    reason: 'There are too many answers.',
  })
})

test('[PROG-13] the total limits all servers and callers together, below the limit of the tenant', () => {
  const open = { perCaller: 9, perServer: 9, perTenant: 9, total: 2 }
  const asking = new OpenAskLimits({ isEnabled: true, askWaitMs: 1_000, open }, noTelemetry, () => 0)
  const opened = (principal: string) => asking.open({ principal } as Call, `of ${principal}`, { q: form() }, undefined)

  expect([opened('ann').ok, opened('ben').ok]).toEqual([true, true])
  expect(opened('cleo')).toMatchObject({ ok: false, why: 'too-many-open-total' })
})

test('[SERVER-3] patterns with several stars match the whole name, in order and without overlap', () => {
  expect(matches('get_*_user_*', 'get_a_user_b')).toBe(true)
  expect(matches('get_*_user_*', 'get_user_b')).toBe(false)
  // The parts of the pattern may not share characters of the name.
  expect(matches('a*ba*ab', 'abab')).toBe(false)
  expect(matches('a*x*b', 'ayb')).toBe(false)
})

test('[SERVER-3] only tools that are offered count as shortened', () => {
  const long = 'x'.repeat(80)
  const naming = new Naming({ ark: { tools: { allow: ['*'], deny: ['secret*'], rename: {} } }, zoo: {} })

  expect(naming.isShortened('ark', long)).toBe(true)
  expect(naming.isShortened('ark', 'deploy')).toBe(false)
  expect(naming.isShortened('ark', `secret${long}`)).toBe(false)
  expect(naming.watchedAt('ark', { notifications: { resourceSubscriptions: ['ark+a:b', 'zoo+a:b', 7] } })).toEqual({
    notifications: { resourceSubscriptions: ['a:b'] },
  })
})
