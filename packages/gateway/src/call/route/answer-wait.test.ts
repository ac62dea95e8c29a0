import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Call } from '../model.ts'
import { Shutdown } from '../shutdown.ts'
import { AnswerWait, askClientToo, type LiveRoutingState } from './answer-wait.ts'
import { callOf, form, openRounds, settings, stateOf, unusedLayer } from './sample-rounds.suite.ts'

const patient = { forMs: 60_000, canRetry: false }
const impatient = { forMs: 50, canRetry: true }

/** A call with one question in the inbox. */
async function asked(call: Call = callOf()) {
  const rounds = await openRounds()
  const shutdown = new Shutdown()
  const wait = new AnswerWait(rounds.store, settings, shutdown, rounds.asks, rounds.onError)
  const state = await rounds.asks.moveToInbox(call, unusedLayer, stateOf({ one: form('One?') }), ['one'])
  const id = state.inInbox.one ?? ''
  return { ...rounds, call, wait, shutdown, state, id }
}

test('[ROUTE-3] a wait ends with the person’s answer', async () => {
  const { call, wait, state, id, answer } = await asked()
  const waiting = wait.answers(call, state, patient)
  await answer(id, { action: 'decline' })

  expect(await waiting).toEqual({ one: { result: { action: 'decline' } } })
})

test('[ROUTE-5] a caller that can retry has to, and its question stays open', async () => {
  const { call, wait, state, id, read } = await asked()

  expect(await wait.answers(call, state, impatient)).toBeUndefined()
  expect((await read(id))?.state.kind).toBe('open')
})

test('[ROUTE-3] a caller that cannot retry gets "expired" when the question expires, and never a dismissal', async () => {
  const { call, wait, state } = await asked()
  const late: LiveRoutingState = { ...state, untilMs: 0 }

  const answers = await wait.answers(call, late, patient)

  expect(answers?.one).toMatchObject({ error: { data: { reason: 'expired' } } })
})

test('[ROUTE-7] when the call is cancelled, its question is withdrawn', async () => {
  const cancelling = new AbortController()
  const { call, wait, state, id, read } = await asked(callOf({ signal: cancelling.signal }))
  const waiting = wait.answers(call, state, patient)
  cancelling.abort()
  await waiting

  expect((await read(id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
})

test('[ROUTE-5] when a caller that can retry drops its request, its question stays open', async () => {
  const dropping = new AbortController()
  const { call, wait, state, id, read } = await asked(callOf({ signal: dropping.signal }))
  const waiting = wait.answers(call, state, { forMs: 60_000, canRetry: true })
  dropping.abort()

  expect(await waiting).toBeUndefined()
  expect((await read(id))?.state.kind).toBe('open')
})

test('[ROUTE-7] when the server stops waiting, its question is withdrawn for that reason', async () => {
  const { call, wait, state, id, read } = await asked()
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const waiting = wait.answers(call, { ...state, over }, patient)
  resolve()
  await waiting

  expect((await read(id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'asker-stopped' })
})

test('[FLEET-9] at shutdown a caller that can wait elsewhere is sent on, and its question stays open', async () => {
  const { call, wait, shutdown, state, id, read } = await asked()
  const going = { forMs: 60_000, canRetry: true, goesAt: 'final' } as const
  const waiting = wait.answers(call, state, going)
  await sleep(20)
  expect(wait.isSentOn(state, going)).toBe(false)
  shutdown.enter('final')

  expect(await waiting).toBeUndefined()
  expect(wait.isSentOn(state, going)).toBe(true)
  expect((await read(id))?.state.kind).toBe('open')
})

test('[FLEET-9] a caller that cannot retry is not sent on while a server waits in this process', async () => {
  const { wait, shutdown, state } = await asked()
  shutdown.enter('final')

  const { promise: over } = Promise.withResolvers<void>()
  expect(wait.isSentOn({ ...state, over }, { forMs: 1, canRetry: false, goesAt: 'final' })).toBe(false)
  expect(wait.isSentOn(state, { forMs: 1, canRetry: false, goesAt: 'final' })).toBe(true)
})

test('[ROUTE-11] with the inbox first, the client is asked after the silence, if it can show the question', async () => {
  const shows = callOf({ client: { info: {}, declared: { elicitation: {} }, capabilities: {} } })
  const { call, wait, state, id } = await asked(shows)
  const inboxFirst = ['inbox', 'client'] as const

  const quietMs = await wait.quietMs(call, state, inboxFirst)
  expect(quietMs).toBeGreaterThan(0)
  expect(quietMs).toBeLessThanOrEqual(settings.silentAfterMs)
  expect(await wait.quietMs(call, state, ['client', 'inbox'])).toBe(Number.POSITIVE_INFINITY)
  expect(await wait.quietMs(callOf(), state, inboxFirst)).toBe(Number.POSITIVE_INFINITY)
  expect(askClientToo(call, state, inboxFirst)).toMatchObject({ inInbox: {}, copies: { one: id } })
  expect(askClientToo(callOf(), state, inboxFirst)).toMatchObject({ inInbox: { one: id }, copies: {} })
})
