import { askMeta } from '@assent/core'
import { expect, test } from 'vitest'
import type { InputRequest } from '../model.ts'
import { callOf, form, openRounds, stateOf, unusedLayer } from './sample-rounds.suite.ts'

const call = callOf()

test('[ROUTE-6] some questions move to the inbox, with a deadline, and the others stay where they are', async () => {
  const { store, asks, read, open } = await openRounds()
  const beforeMs = store.nowMs()
  const state = stateOf({ one: form('One?'), two: form('Two?') }, { round: { id: 'round', atMs: beforeMs } })

  const moved = await asks.moveToInbox(call, unusedLayer, state, ['one'])

  expect(Object.keys(moved.inInbox)).toEqual(['one'])
  expect((await read(moved.inInbox.one))?.state.kind).toBe('open')
  expect(moved.untilMs).toBe(beforeMs + 60_000)
  expect(await open()).toHaveLength(1)
})

test('[ROUTE-6] a question whose ask is stored already is not raised again', async () => {
  const { asks, open } = await openRounds()
  const state = stateOf({ one: form('One?') }, { onRecord: { one: 'ask_stored' } })

  const moved = await asks.moveToInbox(call, unusedLayer, state, ['one'])

  expect(moved.inInbox).toEqual({ one: 'ask_stored' })
  expect(await open()).toEqual([])
})

test('[FLEET-8] if one question of a round exceeds a limit, no ask of the round stays open', async () => {
  const { asks, open } = await openRounds(1)

  const moving = asks.moveToInbox(call, unusedLayer, stateOf({ one: form('One?'), two: form('Two?') }), ['one', 'two'])

  await expect(moving).rejects.toThrow(expect.objectContaining({ limit: 'caller' }))
  expect(await open()).toEqual([])
})

test('[ROUTE-12] a question that was answered too fast has one ask, however often it moves', async () => {
  const { asks, open } = await openRounds()
  const state = stateOf({ one: form('One?') })

  const first = await asks.moveToInbox(call, unusedLayer, state, ['one'], ['one'])
  const second = await asks.moveToInbox(call, unusedLayer, state, ['one'], ['one'])

  expect(second.inInbox).toEqual(first.inInbox)
  expect(await open()).toHaveLength(1)
})

test('[ROUTE-12] a question with a timeout shorter than the silence moves to the inbox for the rest of its time', async () => {
  const { store, asks, read } = await openRounds()
  const wanted = { one: { ...form('One?'), params: { _meta: askMeta({ waitMs: 10_000 }) } } }
  const asked = stateOf(wanted, { round: { id: 'round', atMs: store.nowMs() } })
  const state = asks.withFallback(call, unusedLayer, asked, ['one'])

  const { inInbox } = await asks.moveToInbox(call, unusedLayer, state, ['one'])

  const ask = await read(inInbox.one)
  const openMs = (ask?.decideByMs ?? 0) - (ask?.raisedAtMs ?? 0)
  expect(openMs).toBeGreaterThan(8_000)
  expect(openMs).toBeLessThanOrEqual(10_000)
})

test('[ROUTE-10] only a question for a person that is not stored yet gets a fallback, and only one', async () => {
  const { asks, fallback } = await openRounds()
  const roots: InputRequest = { kind: 'roots', params: {} }
  const wanted = { one: form('One?'), stored: form('Stored?'), roots }
  const state = stateOf(wanted, { onRecord: { stored: 'ask_stored' } })

  const copied = asks.withFallback(call, unusedLayer, state, Object.keys(wanted))
  const again = asks.withFallback(call, unusedLayer, copied, Object.keys(wanted))

  expect(Object.keys(copied.copies)).toEqual(['one'])
  expect(again.copies).toEqual(copied.copies)
  await fallback.withdraw(call, copied.copies.one ?? '', 'call-cancelled')
})

test('[ROUTE-7] an abandoned call leaves neither an ask nor a fallback behind', async () => {
  const { asks, fallback, read } = await openRounds()
  const moved = await asks.moveToInbox(call, unusedLayer, stateOf({ one: form('One?'), two: form('Two?') }), ['one'])
  const state = asks.withFallback(call, unusedLayer, moved, ['two'])

  await asks.abandon(call, state)

  expect((await read(state.inInbox.one))?.state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
  expect(await read(state.copies.two)).toBeUndefined()
  // Its timer is gone: without one, withdrawing asks the store, which does not know the ask.
  await fallback.withdraw(call, state.copies.two ?? '', 'call-cancelled')
})

test('[REPLY-5] an answer given just before its ask is discarded is recorded as undelivered', async () => {
  const { asks, read, answer } = await openRounds()
  const { inInbox } = await asks.moveToInbox(call, unusedLayer, stateOf({ one: form('One?') }), ['one'])
  await answer(inInbox.one)

  await asks.discard(call, inInbox.one ?? '', 'caller-gone')

  expect((await read(inInbox.one))?.state).toMatchObject({ kind: 'settled', undeliveredAtMs: expect.any(Number) })
})
