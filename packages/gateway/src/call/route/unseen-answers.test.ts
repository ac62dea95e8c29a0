import type { JsonValue } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { relayLimits } from '../../limits.ts'
import type { RelayState } from '../call-state.ts'
import type { InputResponse } from '../model.ts'
import { unseen } from '../screen/screen-questions.ts'
import { callOf, openRounds } from './sample-rounds.suite.ts'
import { UnseenAnswers, unseenAskId } from './unseen-answers.ts'

const approval = { type: 'object', properties: {} }
const plain = { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] }
const yes = { result: { action: 'accept', content: {} } }
const region = { result: { action: 'accept', content: { region: 'eu' } } }
const round = { id: 'round', atMs: 1 }
const fast = 10
const slow = 60_000

function stateOf(schema: JsonValue, more: Partial<RelayState> = {}): RelayState {
  return { server: 'deploy', inner: null, isPrefixed: false, schemas: { one: schema }, round, ...more }
}

async function answers(askWaitMs = 60_000) {
  const { store } = await openRounds()
  const reports: unknown[] = []
  const all = new UnseenAnswers(store, { unseenAfterMs: 300, askWaitMs }, (call, server, key, how) =>
    reports.push([call.principal, server, key, how]),
  )
  const screen = async (state: RelayState, given: InputResponse | undefined, afterMs?: number, call = callOf()) =>
    (
      await all.screen(call, state, {
        one: { ...(given === undefined ? {} : { given }), ...(afterMs === undefined ? {} : { afterMs }) },
      })
    ).one
  return { store, all, reports, screen }
}

test('[ROUTE-13] without an inbox, an approval that is too fast becomes a cancel, and stays one when it is repeated later', async () => {
  const { screen, reports } = await answers()

  expect(await screen(stateOf(approval), yes, fast)).toBe(unseen)
  expect(reports).toEqual([['ann', 'deploy', 'one', 'unseen']])
  expect(await screen(stateOf(approval), yes, slow)).toBe(unseen)
  expect(reports).toHaveLength(1)
})

test('[ROUTE-13] the approval of another question, round or person is not affected', async () => {
  const { screen, all } = await answers()
  const state = stateOf(approval, { schemas: { one: approval, two: approval } })
  await screen(state, yes, fast)

  expect((await all.screen(callOf(), state, { two: { given: yes, afterMs: slow } })).two).toEqual(yes)
  expect(await screen(stateOf(approval, { round: { id: 'other', atMs: 1 } }), yes, slow)).toEqual(yes)
  expect(await screen(stateOf(approval), yes, slow, callOf({ principal: 'bob' }))).toEqual(yes)
  expect(await screen(stateOf(approval), yes, slow, callOf({ tenant: 'other' }))).toEqual(yes)
})

test('[ROUTE-13] a plain form that is accepted too fast passes and is reported as unattended', async () => {
  const { screen, reports } = await answers()

  expect(await screen(stateOf(plain), region, fast)).toEqual(region)
  expect(reports).toEqual([['ann', 'deploy', 'one', 'unattended']])
  expect(await screen(stateOf(plain), region, slow)).toEqual(region)
  expect(reports).toHaveLength(1)
})

test('[ROUTE-13] a link that is accepted too fast passes and is reported as unattended', async () => {
  const { screen, reports } = await answers()

  expect(await screen(stateOf(true), { result: { action: 'accept' } }, fast)).toEqual({ result: { action: 'accept' } })
  expect(reports).toEqual([['ann', 'deploy', 'one', 'unattended']])
})

test.each(['decline', 'cancel'])(
  '[ROUTE-13] a %s that is too fast passes and is reported as unseen',
  async (action) => {
    const { screen, reports } = await answers()
    const no = { result: { action } }

    expect(await screen(stateOf(approval), no, fast)).toEqual(no)
    expect(reports).toEqual([['ann', 'deploy', 'one', 'unseen']])
    // A no is not recorded: it blocks no later yes.
    expect(await screen(stateOf(approval), yes, slow)).toEqual(yes)
  },
)

test('[ROUTE-13] an approval that a person can have given counts', async () => {
  const { screen, reports } = await answers()

  expect(await screen(stateOf(approval), yes, slow)).toEqual(yes)
  expect(reports).toEqual([])
})

test('[ROUTE-13] an approval whose time is unknown counts, also after one that was too fast', async () => {
  const { screen } = await answers()
  await screen(stateOf(approval), yes, fast)

  expect(await screen(stateOf(approval), yes)).toEqual(yes)
})

test.each([
  ['an error', { error: { code: -1, message: 'no' } }],
  ['an unknown action', { result: { action: 'maybe' } }],
])('[ROUTE-13] %s is passed on and not reported, however fast', async (_what, given) => {
  const { screen, reports } = await answers()

  expect(await screen(stateOf(approval), given, fast)).toEqual(given)
  expect(reports).toEqual([])
})

test('[ROUTE-13] an answer of the client itself, such as its roots, is passed on, however fast', async () => {
  const { screen, all, reports } = await answers()

  expect(await screen(stateOf(false), yes, fast)).toEqual(yes)
  expect(await all.screen(callOf(), stateOf(false), { constructor: { given: yes, afterMs: fast } })).toEqual({
    constructor: yes,
  })
  expect(reports).toEqual([])
})

test('[ROUTE-13] an answer of the client itself is never an approval, whatever was recorded before', async () => {
  const { screen, all } = await answers()
  await all.note(callOf(), stateOf(false), 'one')

  expect(await screen(stateOf(false), yes, slow)).toEqual(yes)
})

test('[ROUTE-13] a question without an answer is left out', async () => {
  const { all } = await answers()

  expect(await all.screen(callOf(), stateOf(approval), { one: { afterMs: slow } })).toEqual({})
})

test('[ROUTE-13] in a session each question is answered once, so nothing is recorded', async () => {
  const { screen, store } = await answers()
  const claiming = vi.spyOn(store.rounds, 'claim')
  const { round: _round, ...inSession } = stateOf(approval)

  expect(await screen(inSession, yes, fast)).toBe(unseen)
  expect(await screen(inSession, yes, slow)).toEqual(yes)
  expect(claiming).not.toHaveBeenCalled()
})

test('[ROUTE-12] an answer that does not count is recorded for as long as any state of the round is valid', async () => {
  const { all, store, reports } = await answers(2 * relayLimits.resumableWaitMs)
  const claiming = vi.spyOn(store.rounds, 'claim')
  expect(await all.has(callOf(), stateOf(approval), 'one')).toBe(false)

  await all.note(callOf(), stateOf(approval), 'one')

  expect(await all.has(callOf(), stateOf(approval), 'one')).toBe(true)
  expect(await all.has(callOf(), stateOf(approval), 'two')).toBe(false)
  expect(reports).toEqual([['ann', 'deploy', 'one', 'unseen']])
  const keepMs = 2 * relayLimits.resumableWaitMs + relayLimits.deferredExtraMs
  expect(claiming).toHaveBeenCalledWith(
    { tenant: 'default', principal: 'ann', id: expect.stringMatching(/^unseen-[\w-]{43}$/) },
    'unseen',
    keepMs,
  )
})

test('[ROUTE-12] a question has the same ask id in every request of its round, and another one elsewhere', () => {
  const id = unseenAskId(round, 'one')

  expect(unseenAskId({ ...round }, 'one')).toBe(id)
  expect(id).toMatch(/^ask_/)
  const others = [unseenAskId(round, 'two'), unseenAskId({ id: 'other', atMs: 1 }, 'one')]
  expect(new Set([id, ...others]).size).toBe(3)
})
