import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { relayLimits, setLimits } from '../../limits.ts'
import { failed } from '../model.ts'
import { callOf, form } from './sample-rounds.suite.ts'
import { asking, done, fast, link, relay, routed, showsForms, stateIn, yes } from './sample-routing.suite.ts'

const round = { id: 'round', atMs: 1 }
const tooOften = failed(-32_000, 'The server asked too often.')

let restore: () => void
beforeEach(() => {
  restore = setLimits(relayLimits, { roundsPerCall: 3 })
})
afterEach(() => restore())

test('[LIMIT-6] a server that keeps asking is refused', async () => {
  const { exchange, firstAsk, answer, sent } = await routed([asking(), asking(), asking(), asking(), asking()])
  const calling = exchange.start(callOf())
  for (let at = 0; at < 3; at++) await answer(await firstAsk())

  expect(await calling).toEqual(tooOften)
  expect(sent).toHaveLength(3)
})

const two = { one: form('One?'), two: form('Two?') }

test('[FLEET-8] a server whose questions exceed a limit is refused, and may ask for less', async () => {
  const { exchange, firstAsk, answer, refused, open } = await routed([asking(two), asking(), done], { perCaller: 1 })
  const calling = exchange.start(callOf())
  await answer(await firstAsk())

  expect(await calling).toEqual(done)
  expect(refused).toEqual([{ state: relay, limit: 'caller' }])
  expect(await open()).toEqual([])
})

test('[LIMIT-6] a server that asks for too much again and again is refused in the end', async () => {
  const { exchange, refused } = await routed(Array(5).fill(asking(two)), { perCaller: 1 })

  expect(await exchange.start(callOf())).toEqual(tooOften)
  expect(refused).toHaveLength(3)
})

test('[FLEET-8] if moving a question to the inbox exceeds a limit, the round is withdrawn and its server refused', async () => {
  const { exchange, refused, open, store } = await routed(
    [asking({ ...two, link }, { round }), failed(-1, 'Refused.')],
    {
      perCaller: 1,
    },
  )
  const state = stateIn(await exchange.start(showsForms))
  const withdrawing = vi.spyOn(store.asks, 'withdraw')
  const came = { one: { given: yes, afterMs: fast } }

  expect(await exchange.continue(showsForms, { ...state, copies: { two: 'ask_2' } }, came)).toEqual(
    failed(-1, 'Refused.'),
  )
  expect(refused).toEqual([{ state: { ...relay, round }, limit: 'caller' }])
  expect(withdrawing.mock.calls.map(([, id, reason]) => [id, reason])).toContainEqual(['ask_2', 'undeliverable'])
  expect(await open()).toEqual([])
})

test('[FLEET-10] a store that fails ends the request; nothing is refused or sent', async () => {
  const { exchange, store, refused, sent } = await routed([asking({ one: form('One?'), link }, { round })])
  const state = stateIn(await exchange.start(showsForms))
  vi.spyOn(store.asks, 'raise').mockRejectedValue(new Error('The store is down.'))

  await expect(exchange.continue(showsForms, state, { one: { given: yes, afterMs: fast } })).rejects.toThrow('is down')
  const starting = await routed([asking()])
  vi.spyOn(starting.store.asks, 'raise').mockRejectedValue(new Error('The store is down.'))
  await expect(starting.exchange.start(callOf())).rejects.toThrow('is down')
  expect([refused, sent, starting.refused]).toEqual([[], [], []])
})
