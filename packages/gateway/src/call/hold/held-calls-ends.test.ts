// How held calls end without their caller: the server stops waiting, a limit is reached, the caller got no state, the
// store fails, or the replica shuts down.

import { AssentError, TooManyOpen } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import type { Outcome } from '../model.ts'
import { callOf, form } from '../route/sample-rounds.suite.ts'
import { OpenAskLimits } from '../screen/open-limits.ts'
import { carriedOn, lost } from './lost-calls.ts'
import {
  asked,
  done,
  limited,
  needingInput,
  openHeld,
  pause,
  stateOf,
  tenant,
  unavailable,
  yes,
} from './sample-calls.suite.ts'

const call = callOf()
const stored = { kind: 'finished', outcome: JSON.stringify(done) }
const storedAsLost = { kind: 'finished', outcome: JSON.stringify(lost) }

/** A server that stops waiting when `stop` is called. */
function stoppable(wanted = { one: form('One?') }) {
  const { promise: over, resolve: stop, reject: fail } = Promise.withResolvers<void>()
  return { outcome: asked(wanted, { over }), stop, fail }
}

test('[RELAY-7] when the server stops waiting, its question is withdrawn and the outcome is stored for the caller', async () => {
  const server = stoppable()
  const notified: unknown[] = []
  const caller = new AbortController()
  const { layer, heldCalls, sent, row, ask } = await openHeld([server.outcome, done])
  const calling = callOf({ notify: (one) => notified.push(one), signal: caller.signal })
  const { state, asks = {} } = needingInput(await layer.start(calling))
  caller.abort()

  server.stop()
  await until(async () => ((await row())?.kind === 'finished' ? true : undefined))

  expect(await row()).toMatchObject(stored)
  expect(await ask(asks.one)).toMatchObject({ kind: 'withdrawn', reason: 'asker-stopped' })
  expect(sent[1]).toMatchObject({ how: 'continue', state, given: {}, call: { principal: 'ann' } })
  sent[1]?.call.notify({ jsonrpc: '2.0', method: 'notifications/progress' })
  expect(notified).toEqual([])
  await until(() => (heldCalls.size === 0 ? true : undefined))
  expect(await layer.continue(call, state, yes)).toEqual(done)
})

test('[ROUTE-7] an answer that was given just before the server stopped waiting is marked as undelivered', async () => {
  const server = stoppable({ one: form('One?'), two: form('Two?') } as never)
  const { store, layer, row, answer, ask } = await openHeld([server.outcome, done])
  const { asks = {} } = needingInput(await layer.start(call))
  await answer(asks.one)
  const undelivered = vi.spyOn(store.asks, 'undelivered')

  server.stop()
  await until(async () => ((await row())?.kind === 'finished' ? true : undefined))

  expect(await ask(asks.one)).toMatchObject({ kind: 'settled', undeliveredAtMs: expect.any(Number) })
  expect(await ask(asks.two)).toMatchObject({ kind: 'withdrawn' })
  expect(undelivered.mock.calls).toEqual([[tenant, asks.one, false]])
})

test('[ROUTE-7] an ask that ended otherwise before the server stopped is not marked', async () => {
  const server = stoppable()
  const { store, layer, row } = await openHeld([server.outcome, done])
  const { asks = {} } = needingInput(await layer.start(call))
  await store.asks.withdraw(tenant, asks.one ?? '', 'call-cancelled')
  const undelivered = vi.spyOn(store.asks, 'undelivered')

  server.stop()
  await until(async () => ((await row())?.kind === 'finished' ? true : undefined))

  expect(undelivered).not.toHaveBeenCalled()
})

test('[RELAY-7] a server that stops waiting while a request continues the call ends nothing twice', async () => {
  const server = stoppable()
  const { promise, resolve } = Promise.withResolvers<Outcome<never>>()
  const { layer, sent, errors } = await openHeld([server.outcome, () => promise])
  const { state } = needingInput(await layer.start(call))
  const continuing = layer.continue(call, state, yes)
  await until(() => (sent.length === 2 ? true : undefined))
  server.stop()
  await pause()
  resolve(done)

  expect(await continuing).toEqual(done)
  expect(sent).toHaveLength(2)
  expect(errors).toEqual([])
})

test('[RELAY-7] a request that arrives while the call ends without its caller waits for the outcome', async () => {
  const server = stoppable()
  const { promise, resolve } = Promise.withResolvers<Outcome<never>>()
  const { layer, sent } = await openHeld([server.outcome, () => promise])
  const { state } = needingInput(await layer.start(call))
  server.stop()
  await until(() => (sent.length === 2 ? true : undefined))
  const continuing = layer.continue(call, state, yes)
  await pause()
  resolve(done)

  expect(await continuing).toEqual(done)
  expect(sent).toHaveLength(2)
})

test('[RELAY-7] a server that asks once more when no request continues its call ends when it stops waiting again', async () => {
  const [first, second] = [stoppable(), stoppable()]
  const { layer, sent, row } = await openHeld([first.outcome, second.outcome, done])
  await layer.start(call)
  first.stop()
  await until(() => (sent.length === 2 ? true : undefined))
  await pause()
  expect(await row()).toEqual({ kind: 'running' })

  second.stop()
  await until(async () => ((await row())?.kind === 'finished' ? true : undefined))
  expect(sent.map(({ given }) => given)).toEqual([undefined, {}, {}])
})

test('[FLEET-12] the outcome is stored although the asks could not be withdrawn, and errors are reported', async () => {
  const server = stoppable()
  const { store, layer, row, errors } = await openHeld([server.outcome, done])
  await layer.start(call)
  vi.spyOn(store.asks, 'withdraw').mockImplementation(unavailable)

  server.stop()
  await until(async () => ((await row())?.kind === 'finished' ? true : undefined))

  expect(errors).toMatchObject([{ code: 'store_unavailable' }])
})

test('[RELAY-7] a call ends although its server stopped waiting while a request failed to continue it', async () => {
  const server = stoppable()
  const { store, layer, heldCalls, row } = await openHeld([server.outcome, done])
  const { state } = needingInput(await layer.start(call))
  const { promise: answering, reject } = Promise.withResolvers<never>()
  const answer = vi.spyOn(store.asks, 'answer').mockReturnValueOnce(answering)
  const continuing = layer.continue(call, state, yes)
  await until(() => (answer.mock.calls.length > 0 ? true : undefined))
  server.stop()
  await pause()
  expect(await row()).toEqual({ kind: 'running' })

  reject(new AssentError('store_unavailable', 'The store is unavailable.'))
  await expect(continuing).rejects.toThrow('unavailable')
  await until(async () => ((await row())?.kind === 'finished' ? true : undefined))

  expect(await row()).toMatchObject(stored)
  await until(() => (heldCalls.size === 0 ? true : undefined))
  expect(await layer.continue(call, state, yes)).toEqual(done)
})

test('[RELAY-7] a call whose next question could not be stored ends when its server stops waiting for the answer', async () => {
  const [first, second] = [stoppable(), stoppable({ two: form('Two?') } as never)]
  const asksNext = async () => {
    first.stop()
    await pause()
    return second.outcome
  }
  const { store, layer, row, sent } = await openHeld([first.outcome, asksNext, second.outcome, done])
  const { state } = needingInput(await layer.start(call))
  vi.spyOn(store.asks, 'raise').mockImplementationOnce(unavailable)
  await expect(layer.continue(call, state, yes)).rejects.toThrow('unavailable')
  await until(() => (sent.length === 3 ? true : undefined))
  expect(await row()).toEqual({ kind: 'running' })

  second.stop()
  await until(async () => ((await row())?.kind === 'finished' ? true : undefined))
  expect(await row()).toMatchObject(stored)
})

test('[RELAY-7] errors while a call ends without its caller are reported', async () => {
  const [first, second] = [stoppable(), stoppable()]
  const held = await openHeld([first.outcome, second.outcome, () => Promise.reject(new Error('A bug.'))])
  await held.layer.start(call)
  first.stop()
  await until(() => (held.sent.length === 2 ? true : undefined))
  await pause()
  second.stop()
  await until(() => (held.errors.length > 0 ? true : undefined))
  expect(held.errors).toMatchObject([{ message: 'A bug.' }])
  // Whether it did anything is not known, and its caller gets that instead of waiting.
  await until(async () => ((await held.row())?.kind === 'finished' ? true : undefined))
  expect(await held.row()).toMatchObject(storedAsLost)
  expect(held.cancelled).toHaveLength(1)

  const broken = stoppable()
  const other = await openHeld([broken.outcome])
  await other.layer.start(call)
  broken.fail(new Error('The connection broke.'))
  await until(() => (other.errors.length > 0 ? true : undefined))
  expect(other.errors).toMatchObject([{ message: 'The connection broke.' }])
})

test('[RELAY-7] a call is not held if its row cannot be written: the server gets a cancellation, the caller the error', async () => {
  const { store, layer, heldCalls, cancelled } = await openHeld([asked()])
  const [raise, withdraw] = [vi.spyOn(store.asks, 'raise'), vi.spyOn(store.asks, 'withdraw')]
  vi.spyOn(store.calls, 'begin').mockImplementation(unavailable)

  await expect(layer.start(call)).rejects.toThrow('unavailable')

  expect(cancelled).toMatchObject([{ state: stateOf() }])
  expect(heldCalls.size).toBe(0)
  await pause()
  expect(raise).not.toHaveBeenCalled()
  expect(withdraw).not.toHaveBeenCalled()
})

test('[FLEET-4] if a question cannot be stored, those stored before are withdrawn with the reason and the call ends', async () => {
  const { store, layer, heldCalls, cancelled, row } = await openHeld([asked({ one: form('One?'), two: form('Two?') })])
  const raise = store.asks.raise.bind(store.asks)
  const raised: string[] = []
  vi.spyOn(store.asks, 'raise').mockImplementation(async (...draft) => {
    if (raised.length > 0) return unavailable()
    raised.push(draft[0].id)
    return raise(...draft)
  })

  await expect(layer.start(call)).rejects.toThrow('unavailable')
  await until(async () => ((await row())?.kind === 'finished' ? true : undefined))

  expect(await row()).toMatchObject(storedAsLost)
  await until(async () => {
    const ask = await store.asks.read(tenant, raised[0] ?? '')
    return ask?.state.kind === 'withdrawn' && ask.state.reason === 'store-unavailable' ? true : undefined
  })
  expect(cancelled).toHaveLength(1)
  expect(heldCalls.size).toBe(0)
})

const { over: _over, ...carried } = asked(
  { page: form('Open it?') },
  { state: stateOf('', { inner: { again: true } }) },
)

test('[RELAY-2] a call that its server ends with a question for a new request is not held any more', async () => {
  const { layer, heldCalls, row, ask } = await openHeld([asked({ one: form('One?'), two: form('Two?') }), carried])
  const { state, asks = {} } = needingInput(await layer.start(call))

  expect(await layer.continue(call, state, yes)).toEqual(carried)

  expect(heldCalls.size).toBe(0)
  await until(async () => ((await ask(asks.two))?.kind === 'withdrawn' ? true : undefined))
  expect(await row()).toMatchObject({ kind: 'finished', outcome: JSON.stringify(carriedOn) })
  expect(await ask(asks.two)).toMatchObject({ reason: 'asker-stopped' })
  expect(await ask(asks.one)).not.toHaveProperty('undeliveredAtMs')
})

test('[RELAY-2] the same if the server stopped waiting, or a limit on open asks was reached', async () => {
  const server = stoppable()
  const stopped = await openHeld([server.outcome, carried])
  await stopped.layer.start(call)
  server.stop()
  await until(() => (stopped.heldCalls.size === 0 ? true : undefined))
  const refused = await openLimited([asked({ one: form('One?'), two: form('Two?') }), carried])
  expect(await refused.layer.start(call)).toEqual(carried)
  expect(refused.heldCalls.size).toBe(0)

  for (const { row } of [stopped, refused])
    await until(async () => ((await row())?.kind === 'finished' ? true : undefined))
})

test('[RUN-1] a call whose caller got no state to retry with is cancelled, and its asks are withdrawn', async () => {
  const { layer, heldCalls, cancelled, row, ask } = await openHeld([asked()])
  const { asks = {} } = needingInput(await layer.start(call))

  layer.release('call-cancelled')
  layer.release('call-cancelled')
  await until(async () => ((await ask(asks.one))?.kind === 'withdrawn' ? true : undefined))

  expect(heldCalls.size).toBe(0)
  expect(cancelled).toHaveLength(1)
  expect(await row()).toMatchObject(storedAsLost)
  expect(await ask(asks.one)).toMatchObject({ reason: 'call-cancelled' })
})

test('[RUN-1] releasing a call that has ended, was not held, or was not started here changes nothing', async () => {
  const { over: _over, ...carried } = asked()
  const ended = await openHeld([asked(), done])
  const { state } = needingInput(await ended.layer.start(call))
  await ended.layer.continue(call, state, yes)
  const notHeld = await openHeld([carried])
  await notHeld.layer.start(call)
  const atOnce = await openHeld([done])
  await atOnce.layer.start(call)
  const elsewhere = await openHeld([asked()])
  await elsewhere.layer.start(call)

  for (const layer of [ended.layer, notHeld.layer, atOnce.layer, elsewhere.heldCalls.below('')])
    layer.release('caller-gone')

  expect([ended, notHeld, elsewhere].map(({ cancelled }) => cancelled)).toEqual([[], [], []])
  expect(await ended.row()).toMatchObject(stored)
  expect(elsewhere.heldCalls.size).toBe(1)
})

test('[RELAY-11] a cancellation that fails is reported', async () => {
  const { layer, relay, errors } = await openHeld([asked()])
  await layer.start(call)
  vi.spyOn(relay, 'continue').mockRejectedValue(new Error('The server is gone.'))

  layer.release('caller-gone')

  await until(() => (errors.length > 0 ? true : undefined))
  expect(errors).toMatchObject([{ message: 'The server is gone.' }])
})

/** One ask may be open, so the second question of a round exceeds the limit. */
async function openLimited(replies: Parameters<typeof openHeld>[0]) {
  const held = await openHeld(replies)
  const open = { perCaller: 1, total: 10 }
  held.relay.asking = new OpenAskLimits({ isEnabled: true, askWaitMs: 60_000, open })
  return held
}

const two = { one: form('One?'), two: form('Two?') }

test('[FLEET-8] at a limit on open asks the server gets an error, and its outcome is stored and returned', async () => {
  const { store, relay, layer, heldCalls, row } = await openLimited([asked(two), done])
  const raise = vi.spyOn(store.asks, 'raise')
  const refuse = vi.spyOn(relay, 'refuse')
  const withdraw = vi.spyOn(store.asks, 'withdraw')

  expect(await layer.start(call)).toEqual(done)

  expect(refuse.mock.calls).toEqual([[call, stateOf(), expect.any(TooManyOpen)]])
  expect(await row()).toMatchObject(stored)
  expect(heldCalls.size).toBe(0)
  const first = await store.asks.read(tenant, raise.mock.calls[0]?.[0].id ?? '')
  expect(withdraw.mock.calls).toEqual([[tenant, first?.id, 'undeliverable']])
  expect(first?.state).toMatchObject({ kind: 'withdrawn', reason: 'undeliverable' })
})

test('[FLEET-8] a server that then asks less gets its answers', async () => {
  const { layer, answersSent, ask } = await openLimited([asked(two), asked(), done])

  const { state, asks = {} } = needingInput(await layer.start(call))

  expect(Object.keys(asks)).toEqual(['one'])
  expect(await ask(asks.one)).toMatchObject({ kind: 'open' })
  expect(await layer.continue(call, state, yes)).toEqual(done)
  expect(answersSent()).toEqual([yes])
})

test('[LIMIT-6] a server that keeps asking at the limit is cancelled, and its call ends with the limit', async () => {
  limited({ roundsPerCall: 2 })
  const { layer, heldCalls, cancelled, sent, row } = await openLimited([1, 2, 3, 4].map(() => asked(two)))

  const outcome = await layer.start(call)

  expect(outcome).toMatchObject({ kind: 'failed', error: { message: expect.stringMatching(/open/) } })
  expect(sent.map(({ how }) => how)).toEqual(['start', 'refuse', 'refuse', 'refuse'])
  expect(cancelled).toHaveLength(1)
  expect(heldCalls.size).toBe(0)
  await until(async () => ((await row())?.kind === 'finished' ? true : undefined))
  expect(await row()).toMatchObject(storedAsLost)
})

test('[LIMIT-6] the questions of earlier rounds that are still open are then withdrawn', async () => {
  limited({ roundsPerCall: 1 })
  const more = asked({ two: form('Two?') })
  const { layer, cancelled, ask } = await openLimited([asked(), more, more, more])
  const { state, asks = {} } = needingInput(await layer.start(call))

  expect(await layer.continue(call, state, {})).toMatchObject({ kind: 'failed' })

  expect(cancelled).toHaveLength(1)
  await until(async () => ((await ask(asks.one))?.kind === 'withdrawn' ? true : undefined))
  expect(await ask(asks.one)).toMatchObject({ reason: 'owner-lost' })
})
