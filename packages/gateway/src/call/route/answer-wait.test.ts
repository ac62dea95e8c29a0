import { setTimeout as sleep } from 'node:timers/promises'
import type { Ask } from '@assent/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { clientLimits, relayLimits, setLimits } from '../../limits.ts'
import type { CallerWait } from '../layers.ts'
import type { Call } from '../model.ts'
import { expired, lostAnswer, noAnswer } from '../screen/screen-questions.ts'
import { Shutdown } from '../shutdown.ts'
import { AnswerWait, askClientToo } from './answer-wait.ts'
import { callOf, form, openRounds, settings, stateOf, unusedLayer } from './sample-rounds.suite.ts'

const patient = { forMs: 60_000, canRetry: false }
const impatient = { forMs: 50, canRetry: true }

let restores: readonly (() => void)[] = []
beforeEach(() => {
  restores = [setLimits(relayLimits, { storeRetryMs: 10 }), setLimits(clientLimits, { keepAliveMs: 10 })]
})
afterEach(() => {
  for (const restore of restores) restore()
})

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
  expect(askClientToo(call, state, inboxFirst)).toEqual({ ...state, inInbox: {}, copies: { one: id } })
  expect(askClientToo(callOf(), state, inboxFirst)).toMatchObject({ inInbox: { one: id }, copies: {} })
})

test('[ROUTE-6] without a question in the inbox there is nothing to wait for', async () => {
  const { call, wait, state } = await asked()

  expect(await wait.answers(call, { ...state, inInbox: {} }, patient)).toEqual({})
})

test('[ROUTE-6] a wait ends when all questions are answered, and each has its own answer', async () => {
  const { call, wait, asks, answer } = await asked()
  const two = stateOf({ one: form('One?'), two: form('Two?') })
  const state = await asks.moveToInbox(call, unusedLayer, two, ['one', 'two'])
  const waiting = wait.answers(call, state, patient)
  let isOver = false
  void waiting.then(() => (isOver = true))

  await answer(state.inInbox.two, { action: 'decline' })
  await sleep(30)
  expect(isOver).toBe(false)
  await answer(state.inInbox.one, { action: 'accept', content: {} })

  expect(await waiting).toEqual({
    one: { result: { action: 'accept', content: {} } },
    two: { result: { action: 'decline' } },
  })
})

test('[ROUTE-3] a caller that has no time left gets what is answered already, and otherwise has to retry', async () => {
  const { call, wait, state, id, answer } = await asked()
  const now = { forMs: 0, canRetry: false }

  expect(await wait.answers(call, state, now)).toBeUndefined()
  await answer(id)
  expect(await wait.answers(call, state, now)).toEqual({ one: { result: { action: 'accept', content: {} } } })
})

test('[ROUTE-3] a question that expired in the store is no answer, also for a caller that can retry', async () => {
  const { call, wait, state, store, id } = await asked()
  const ask = { state: { kind: 'expired', atMs: 1 } } as Ask
  vi.spyOn(store.asks, 'wait').mockResolvedValue(ask)

  expect(await wait.answers(call, state, { forMs: 60_000, canRetry: true })).toEqual({ one: expired })
  expect((await store.asks.read('default', id))?.state.kind).toBe('open')
})

test('[ROUTE-3] a caller that can retry does so when only its own clock says that the time is up', async () => {
  const { call, wait, state, id, read } = await asked()

  expect(await wait.answers(call, { ...state, untilMs: 0 }, { forMs: 60_000, canRetry: true })).toBeUndefined()
  expect((await read(id))?.state.kind).toBe('open')
})

test('[ROUTE-3] a caller that cannot retry gets "expired" and never a dismissal, and the question is withdrawn', async () => {
  const { call, wait, state, id, read } = await asked()

  expect(await wait.answers(call, { ...state, untilMs: 0 }, patient)).toEqual({ one: expired })
  expect((await read(id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'caller-gone' })
})

test('[WAIT-11] an answer that arrives just before its question is withdrawn counts', async () => {
  const { call, wait, state, id, answer, store, asks } = await asked()
  const open = await store.asks.read('default', id)
  vi.spyOn(store.asks, 'wait').mockResolvedValue(open)
  const withdrawing = vi.spyOn(asks, 'withdraw')
  await answer(id, { action: 'decline' })

  expect(await wait.answers(call, { ...state, untilMs: 0 }, patient)).toEqual({
    one: { result: { action: 'decline' } },
  })
  expect(withdrawing).toHaveBeenCalledWith(call, id, 'caller-gone')
})

test('[ROUTE-3] the store is asked until the deadline of the question, with a margin, or as long as the caller waits', async () => {
  const { call, wait, state, store } = await asked()
  const ask = { state: { kind: 'withdrawn', reason: 'owner-lost' } } as Ask
  const waiting = vi.spyOn(store.asks, 'wait').mockResolvedValue(ask)
  vi.spyOn(store, 'nowMs').mockReturnValue(1_000_000)

  expect(await wait.answers(call, { ...state, untilMs: 1_005_000 }, patient)).toEqual({ one: lostAnswer })
  await wait.answers(call, { ...state, untilMs: 1_005_000 }, { forMs: 4_000, canRetry: true })
  const { untilMs: _none, ...withoutDeadline } = state
  await wait.answers(call, withoutDeadline, { forMs: 3_600_000, canRetry: false })

  // A read that is still pending is aborted.
  expect(waiting.mock.calls.map(([, , options]) => options?.signal?.aborted)).toEqual([true, true, true])
  const timeouts = waiting.mock.calls.map(([, , options]) => Math.round(options?.timeoutMs ?? 0))
  expect(timeouts).toEqual([5_200, 4_000, settings.askWaitMs + 200])
})

test('[FLEET-12] if the store stays unavailable until the deadline, the server gets "expired", also for a caller that can retry', async () => {
  const { call, wait, state, store, asks, id } = await asked()
  vi.spyOn(store.asks, 'wait').mockRejectedValue(new Error('The store is down.'))
  const discarding = vi.spyOn(asks, 'discard')

  const answers = await wait.answers(call, { ...state, untilMs: 0 }, { forMs: 60_000, canRetry: true })

  expect(answers).toEqual({ one: expired })
  expect(discarding).toHaveBeenCalledWith(call, id, 'caller-gone')
})

test('[FLEET-12] if the store is unavailable while the caller waits, the caller has to retry, and nothing is withdrawn', async () => {
  const { call, wait, state, store, asks, errors } = await asked()
  vi.spyOn(store.asks, 'wait').mockRejectedValue(new Error('The store is down.'))
  const discarding = vi.spyOn(asks, 'discard')

  expect(await wait.answers(call, state, { forMs: 40, canRetry: false })).toBeUndefined()
  expect(discarding).not.toHaveBeenCalled()
  expect(errors).toEqual([new Error('The store is down.')])
})

test('[ROUTE-7] after a cancellation the server gets a cancel, not "expired", even if the time is up as well', async () => {
  const { call, wait, state } = await asked(callOf({ signal: AbortSignal.abort() }))

  expect(await wait.answers(call, { ...state, untilMs: 0 }, patient)).toEqual({ one: noAnswer })
})

test('[FLEET-12] a cancellation while the store is unavailable gives the server a cancel, not "expired"', async () => {
  const { call, wait, state, store } = await asked(callOf({ signal: AbortSignal.abort() }))
  vi.spyOn(store.asks, 'wait').mockRejectedValue(new Error('The store is down.'))

  expect(await wait.answers(call, state, patient)).toEqual({ one: noAnswer })
  expect(await wait.answers(call, { ...state, untilMs: 0 }, patient)).toEqual({ one: noAnswer })
})

test('[ROUTE-3] an ask that is not in the store is no answer of a person', async () => {
  const { call, wait, state } = await asked()

  const gone = { ...state, inInbox: { one: 'ask_unknown' } }
  expect(await wait.answers(call, gone, impatient)).toEqual({ one: noAnswer })
  expect(await wait.answers(call, gone, patient)).toEqual({ one: expired })
})

test('[ROUTE-3] if an open question cannot be withdrawn when its time is up, the server gets "expired"', async () => {
  const { call, wait, state, store } = await asked()
  vi.spyOn(store.asks, 'withdraw').mockRejectedValue(new Error('The store is down.'))

  expect(await wait.answers(call, { ...state, untilMs: 0 }, patient)).toEqual({ one: expired })
})

test('[FLEET-12] if one of several asks cannot be read until the deadline, all open ones end as expired', async () => {
  const { call, wait, state, store, id } = await asked()
  const open = await store.asks.read('default', id)
  vi.spyOn(store.asks, 'wait').mockImplementation(async (_tenant, one) => {
    if (one === id) return open
    throw new Error('The store is down.')
  })
  const two = { ...state, inInbox: { one: id, two: 'ask_2' }, untilMs: 0 }

  expect(await wait.answers(call, two, { forMs: 60_000, canRetry: true })).toEqual({ one: expired, two: expired })
})

test('[FLEET-5] an answer that is there counts, even if the caller would be sent to another replica', async () => {
  const { call, wait, state, id, answer, shutdown } = await asked()
  await answer(id, { action: 'decline' })
  shutdown.enter('draining')

  expect(await wait.answers(call, state, { forMs: 60_000, canRetry: true, goesAt: 'draining' })).toEqual({
    one: { result: { action: 'decline' } },
  })
})

test('[RUN-2] an answer that is there already counts for a caller that drops its retry', async () => {
  const { call, wait, state, id, answer } = await asked(callOf({ signal: AbortSignal.abort() }))
  await answer(id, { action: 'decline' })

  const answers = await wait.answers(call, state, { forMs: 60_000, canRetry: true })
  expect(answers).toEqual({ one: { result: { action: 'decline' } } })
})

test('[FLEET-6] a question that is still open when this process closes is withdrawn as lost', async () => {
  const { call, wait, state, shutdown, id, read } = await asked(callOf({ signal: AbortSignal.abort() }))
  shutdown.enter('closed')

  expect(await wait.answers(call, state, patient)).toEqual({ one: lostAnswer })
  expect((await read(id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
})

test('[ROUTE-7] when the server stops waiting at shutdown, its question is withdrawn and not sent on', async () => {
  const { call, wait, shutdown, state, id, read } = await asked()
  shutdown.enter('final')
  const going = { forMs: 60_000, canRetry: true, goesAt: 'final' } as const
  const waiting = wait.answers(call, { ...state, over: Promise.resolve() }, going)

  expect(await waiting).toEqual({ one: noAnswer })
  expect((await read(id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'asker-stopped' })
})

test('[ROUTE-7] a call that is cancelled at shutdown is not sent on: its question is withdrawn', async () => {
  const { call, wait, shutdown, state, id, read } = await asked(callOf({ signal: AbortSignal.abort() }))
  shutdown.enter('draining')
  await wait.answers(call, state, { forMs: 60_000, canRetry: false, goesAt: 'draining' })

  expect((await read(id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
})

test('[FLEET-9] a caller without a phase to leave in stays until the end', async () => {
  const { wait, shutdown, state } = await asked()
  shutdown.enter('closed')
  expect(wait.isSentOn(state, { forMs: 1, canRetry: true })).toBe(false)
})

test('[FLEET-9] after a wait nothing is left that a shutdown would call', async () => {
  const { call, wait, shutdown, state } = await asked()
  const unsubscribe = vi.fn()
  const subscribing = vi.spyOn(shutdown, 'onPhase').mockReturnValue(unsubscribe)
  const going: CallerWait = { ...impatient, goesAt: 'draining' }
  await wait.answers(call, state, going)

  expect(subscribing.mock.calls).toEqual([['draining', expect.any(Function)]])
  expect(unsubscribe).toHaveBeenCalledOnce()
})

test('[ROUTE-20] the caller gets progress while the person decides, and none afterwards', async () => {
  const notify = vi.fn()
  const { call, wait, state } = await asked(callOf({ params: { name: 'deploy', _meta: { progressToken: 1 } }, notify }))
  await wait.answers(call, state, impatient)
  const sent = notify.mock.calls.length
  expect(sent).toBeGreaterThan(0)
  await sleep(40)
  expect(notify).toHaveBeenCalledTimes(sent)
})

test.each([
  ['a first request', 0, { action: 'decline' }, 0],
  ['a first request that ends before the answer', 0, undefined, 0],
  ['a retry', 1, { action: 'decline' }, 0],
  ['a retry that ends before the answer', 1, undefined, 1],
] as const)('[WAIT-10] %s is recorded if it waits for an open question', async (_what, waits, given, expected) => {
  const { call, wait, state, store, id, answer } = await asked()
  const seen = vi.spyOn(store.asks, 'seen')
  if (given !== undefined) await answer(id, given)
  await wait.answers(call, { ...state, waits }, { forMs: 5, canRetry: true })

  expect(seen.mock.calls).toEqual(Array(expected).fill(['default', id, relayLimits.callerSeenEveryMs / 2]))
})

test('[RELAY-10] the end of a question is marked where only the inbox asked it', async () => {
  const isRecorded = vi.fn(() => true)
  const client = { info: {}, declared: {}, capabilities: {}, isRecorded }
  const { call, wait, state, id, answer } = await asked(callOf({ client }))
  await answer(id, { action: 'decline' })

  expect(await wait.answers(call, state, patient)).toEqual({ one: { result: { action: 'decline' }, isRecorded: true } })
  expect(isRecorded).toHaveBeenCalledWith(state.wanted.one, 'deploy')
  expect(await wait.answers(call, { ...state, wanted: {} }, patient)).toEqual({
    one: { result: { action: 'decline' } },
  })
  isRecorded.mockReturnValue(false)
  expect(await wait.answers(call, state, patient)).toEqual({ one: { result: { action: 'decline' } } })
})

test('[ROUTE-11] the silence is measured from when the question was raised, and is over at once after it', async () => {
  const shows = callOf({ client: { info: {}, declared: { elicitation: {} }, capabilities: {} } })
  const { call, wait, state, store, id, read } = await asked(shows)
  const raisedAtMs = (await read(id))?.raisedAtMs ?? 0
  const now = vi.spyOn(store, 'nowMs').mockReturnValue(raisedAtMs + 1_000)

  expect(await wait.quietMs(call, state, ['inbox', 'client'])).toBe(settings.silentAfterMs - 1_000)
  now.mockReturnValue(raisedAtMs + settings.silentAfterMs + 1)
  expect(await wait.quietMs(call, state, ['inbox', 'client'])).toBe(0)
  const gone = { ...state, inInbox: { one: 'ask_unknown' } }
  expect(await wait.quietMs(call, gone, ['inbox', 'client'])).toBe(Number.POSITIVE_INFINITY)
  expect(await wait.quietMs(call, { ...state, wanted: {} }, ['inbox', 'client'])).toBe(Number.POSITIVE_INFINITY)
})

test('[ROUTE-11] without a time for the silence the client is never asked too', async () => {
  const shows = callOf({ client: { info: {}, declared: { elicitation: {} }, capabilities: {} } })
  const { call, state, store, asks, onError } = await asked(shows)
  const wait = new AnswerWait(store, { askWaitMs: 1_000 }, new Shutdown(), asks, onError)

  expect(await wait.quietMs(call, state, ['inbox', 'client'])).toBe(Number.POSITIVE_INFINITY)
})

test('[ROUTE-11] earlier copies of questions are kept when the client is asked too', () => {
  const call = callOf({ client: { info: {}, declared: { elicitation: {} }, capabilities: {} } })
  const state = stateOf({ one: form('One?') }, { inInbox: { one: 'ask_1' }, copies: { two: 'ask_2' } })

  expect(askClientToo(call, state, ['inbox', 'client']).copies).toEqual({ one: 'ask_1', two: 'ask_2' })
})
