import { randomBytes } from 'node:crypto'
import { createKeyRing } from '@assent/core'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { Heartbeat } from '../../cluster/heartbeat.ts'
import type { RelayState } from '../call-state.ts'
import { ClaimedRounds } from '../hold/claimed-rounds.ts'
import type { CallLayer } from '../layers.ts'
import { type Answers, failed, type Outcome, unsent } from '../model.ts'
import { Shutdown } from '../shutdown.ts'
import { callOf, form, openRounds, settings, stateOf } from './sample-rounds.suite.ts'
import { AnswerSender, forClientOf } from './send-answers.ts'

const done: Outcome<RelayState> = { kind: 'finished', result: { content: [] } }
const yes = { one: { result: { action: 'accept' } } } as const
const retry = { forMs: 5_000, canRetry: true, retry: { runsOn: true } } as const
const noRetry = { forMs: 5_000, canRetry: false } as const

/** A sender above a server that replies with this outcome and counts what it gets. */
async function sending(
  reply: () => Promise<Outcome<RelayState>> = async () => done,
  inner: RelayState['inner'] = null,
) {
  const rounds = await openRounds()
  const heartbeat = new Heartbeat(rounds.store, 'a', rounds.onError)
  closeAfterTest(() => heartbeat.close())
  const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
  const claims = new ClaimedRounds(rounds.store, heartbeat, keys, settings, rounds.onError)
  const sent: Answers[] = []
  const below: CallLayer = {
    start: async () => failed(0, 'Not used here.'),
    refuse: async () => failed(0, 'Not used here.'),
    continue: async (_call, _state, given) => {
      sent.push(given)
      return reply()
    },
  }
  const shutdown = new Shutdown()
  const route = async (_call: unknown, _below: unknown, outcome: Outcome<RelayState>) => outcome
  const sender = new AnswerSender(rounds.store, claims, rounds.asks, shutdown, route, rounds.onError)
  const state = await rounds.asks.moveToInbox(callOf(), below, stateOf({ one: form('One?') }, { inner }), ['one'])
  await rounds.answer(state.inInbox.one)
  return { ...rounds, sender, below, sent, state, shutdown }
}

test('[RUN-5] a round with an inbox answer is sent once, however many requests bring it', async () => {
  const { sender, below, sent, state } = await sending()

  const results = await Promise.all([1, 2, 3].map(() => sender.send(callOf(), below, state, yes, retry)))

  expect(results).toEqual([done, done, done])
  expect(sent).toEqual([yes])
  expect(await sender.sent(callOf(), state)).toEqual(done)
})

test('[RUN-5] a request that its caller dropped sends nothing; the retry does', async () => {
  const { sender, below, sent, state } = await sending()

  expect(await sender.send(callOf({ signal: AbortSignal.abort() }), below, state, yes, retry)).toBe('running')
  expect(sent).toEqual([])
  expect(await sender.send(callOf(), below, state, yes, retry)).toEqual(done)
})

test('[ROUTE-7] nothing is sent for a caller that is gone and cannot retry, and the answer is undelivered', async () => {
  const { sender, below, sent, state, read } = await sending()

  const gone = await sender.send(callOf({ signal: AbortSignal.abort() }), below, state, yes, noRetry)

  expect(gone).toMatchObject({ kind: 'failed' })
  expect(sent).toEqual([])
  expect((await read(state.inInbox.one))?.state).toMatchObject({ undeliveredAtMs: expect.any(Number) })
})

test('[ROUTE-7] a server that waits inside its call gets a cancellation instead', async () => {
  const { sender, below, sent, state } = await sending(undefined, { held: 'call_1' })

  await sender.send(callOf({ signal: AbortSignal.abort() }), below, state, yes, noRetry)

  expect(sent).toEqual([{}])
})

test('[RUN-7] if nothing was sent and no retry is possible, the answer is undelivered', async () => {
  const { sender, below, state, read } = await sending(async () => unsent(-1, 'The server is not running.'))

  await sender.send(callOf(), below, state, yes, noRetry)

  expect((await read(state.inInbox.one))?.state).toMatchObject({ undeliveredAtMs: expect.any(Number) })
})

test('[RUN-7] if nothing was sent, a retry sends the round', async () => {
  const replies = [unsent(-1, 'The server is not running.'), done]
  const { sender, below, sent, state } = await sending(async () => replies.shift() ?? done)

  expect(await sender.send(callOf(), below, state, yes, retry)).toMatchObject({ kind: 'failed', isUnsent: true })
  expect(await sender.send(callOf(), below, state, yes, retry)).toEqual(done)
  expect(sent).toHaveLength(2)
})

test('[RUN-8] if this process stops while the server runs the round, its outcome is unknown', async () => {
  const { promise, resolve } = Promise.withResolvers<Outcome<RelayState>>()
  const { sender, below, state, shutdown } = await sending(() => promise)
  const running = sender.send(callOf(), below, state, yes, retry)
  await new Promise((tick) => setTimeout(tick, 50))
  shutdown.enter('closed')
  resolve(failed(-1, 'The connection was closed.'))

  expect(await running).toMatchObject({ error: { message: expect.stringContaining('is not known') } })
})

test('[ROUTE-6] a round without an inbox answer needs no claim', async () => {
  const { sender, below, sent, state } = await sending()
  const atClient = { ...state, inInbox: {} }

  await sender.send(callOf(), below, atClient, yes, retry)
  await sender.send(callOf(), below, atClient, yes, retry)

  expect(sent).toHaveLength(2)
  expect(await sender.sent(callOf(), atClient)).toBeUndefined()
})

test('[ROUTE-6] the client is asked what is neither in the inbox nor answered', () => {
  const wanted = { one: form('One?'), two: form('Two?'), three: form('Three?') }
  const state = stateOf(wanted, { inInbox: { one: 'ask_1' }, kept: { two: { result: {} } } })
  expect(forClientOf(state)).toEqual(['three'])
})
