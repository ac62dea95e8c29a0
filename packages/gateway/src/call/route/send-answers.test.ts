import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyRing } from '@assent/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { Heartbeat } from '../../cluster/heartbeat.ts'
import { relayLimits, setLimits } from '../../limits.ts'
import type { RelayState } from '../call-state.ts'
import { ClaimedRounds } from '../hold/claimed-rounds.ts'
import type { CallLayer } from '../layers.ts'
import { type Answers, type Call, failed, type Outcome, unsent, withoutAskIds } from '../model.ts'
import { Shutdown } from '../shutdown.ts'
import { callOf, form, openRounds, settings, stateOf } from './sample-rounds.suite.ts'
import { AnswerSender, forClientOf, isUnsent, type RoundClaims, type RoundResult } from './send-answers.ts'

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
      sent.push(withoutAskIds(given))
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
  expect(await sender.sent(callOf(), state, retry)).toEqual(done)
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
  const { sender, below, sent, state, shutdown } = await sending(() => promise)
  const running = sender.send(callOf(), below, state, yes, retry)
  await vi.waitFor(() => expect(sent).toHaveLength(1), { timeout: 10_000 })
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
  expect(await sender.sent(callOf(), atClient, retry)).toBeUndefined()
})

test('[ROUTE-6] the client is asked what is neither in the inbox nor answered', () => {
  const wanted = { one: form('One?'), two: form('Two?'), three: form('Three?') }
  const state = stateOf(wanted, { inInbox: { one: 'ask_1' }, kept: { two: { result: {} } } })
  expect(forClientOf(state)).toEqual(['three'])
})

let restore: () => void
beforeEach(() => {
  restore = setLimits(relayLimits, { cancelAfterAnswerMs: 30 })
})
afterEach(() => restore())

/** A sender whose claims and calls are recorded. `reply` gets the call as the server does. */
async function scripted(
  reply: (call: Call) => Promise<Outcome<RelayState>> | Outcome<RelayState> = () => done,
  route: (outcome: Outcome<RelayState>) => RoundResult = (outcome) => outcome,
) {
  const rounds = await openRounds()
  const claimed: unknown[] = []
  const claims: RoundClaims = {
    find: async (name) => void claimed.push({ find: name }),
    run: async (name, { forMs, signal }, send) => {
      claimed.push({ run: name, forMs, isAborted: signal.aborted })
      return send()
    },
  }
  const calls: { call: Call; state: RelayState; given: Answers }[] = []
  const below: CallLayer = {
    start: async () => failed(0, 'Not used here.'),
    refuse: async () => failed(0, 'Not used here.'),
    continue: async (call, state, given) => {
      calls.push({ call, state, given })
      return reply(call)
    },
  }
  const shutdown = new Shutdown()
  const routing = async (_call: Call, _below: CallLayer, outcome: Outcome<RelayState>) => route(outcome)
  const sender = new AnswerSender(rounds.store, claims, rounds.asks, shutdown, routing, rounds.onError)
  const state = await rounds.asks.moveToInbox(callOf(), below, stateOf({ one: form('One?') }), ['one'])
  await rounds.answer(state.inInbox.one)
  return { ...rounds, sender, below, claimed, calls, state, shutdown }
}

const relay = { server: 'deploy', inner: null, schemas: {}, isPrefixed: false, round: { id: 'round', atMs: 1 } }
const key = { tenant: 'default', id: 'round', principal: 'ann' }

test('[RUN-3] the claim belongs to the round, the tenant and the person, and is waited for as long as the caller waits', async () => {
  const { sender, below, state, claimed, calls } = await scripted()
  const handOut = vi.fn(async () => undefined)

  expect(await sender.send(callOf({ waiting: { handOut } as never }), below, state, yes, retry)).toEqual(done)

  expect(claimed).toEqual([{ run: key, forMs: 5_000, isAborted: false }])
  expect(calls).toMatchObject([{ call: expect.anything(), state: relay, given: yes }])
  expect(handOut).toHaveBeenCalledOnce()
})

test('[RUN-3] the claim of a round is looked up under the same key', async () => {
  const { sender, state, claimed } = await scripted()
  await sender.sent(callOf(), state, retry)
  expect(claimed).toEqual([{ find: key }])
})

test.each([
  ['with a kept answer of the inbox', { inInbox: {}, hasInboxAnswer: true }, true],
  ['without an answer of the inbox', { inInbox: {} }, false],
  ['of a held call', { inner: { held: 'call_1' } }, false],
  ['in a session', { round: undefined }, false],
] as const)('[RUN-3] a round %s is claimed if a retry could send it again', async (_what, changes, isClaimed) => {
  const { sender, below, state, claimed, calls } = await scripted()
  await sender.send(callOf(), below, { ...state, ...changes } as typeof state, yes, retry)

  expect(claimed).toHaveLength(isClaimed ? 1 : 0)
  expect(calls).toHaveLength(1)
})

test('[RUN-11] a caller without a state sends its round without a claim', async () => {
  const { sender, below, state, claimed, calls } = await scripted()
  await sender.send(callOf(), below, state, yes, noRetry)

  expect(claimed).toEqual([])
  expect(calls).toHaveLength(1)
})

test('[RUN-11] a dropped request whose round needs no claim is sent, and its cancellation follows the answers', async () => {
  const { sender, below, state, calls } = await scripted()
  await sender.send(callOf({ signal: AbortSignal.abort() }), below, { ...state, inInbox: {} }, yes, retry)

  expect(calls).toHaveLength(1)
})

test('[WAIT-11] the server of a call that is cancelled while its answers are sent gets the cancellation later', async () => {
  const cancelling = new AbortController()
  const aborts: boolean[] = []
  const { sender, below, state, calls } = await scripted(async ({ signal }) => {
    cancelling.abort()
    aborts.push(signal.aborted)
    await sleep(60)
    aborts.push(signal.aborted)
    return done
  })
  await sender.send(callOf({ signal: cancelling.signal }), below, state, yes, noRetry)

  expect(aborts).toEqual([false, true])
  expect(calls).toHaveLength(1)
})

test('[WAIT-11] nothing is cancelled after the server has replied', async () => {
  for (const wait of [noRetry, { ...retry, retry: { runsOn: false } }]) {
    const { sender, below, state, calls } = await scripted()
    const cancelling = new AbortController()
    await sender.send(callOf({ signal: cancelling.signal }), below, state, yes, wait)
    cancelling.abort()
    await sleep(50)
    expect(calls[0]?.call.signal.aborted).toBe(false)
  }
})

test('[WAIT-9] a server that waits inside its call: the answer is marked as delivered, or as undelivered', async () => {
  const { sender, below, state, store, read } = await scripted(() => ({ ...done, undelivered: ['one'] }))
  const delivered = vi.spyOn(store.asks, 'delivered')
  await sender.send(callOf(), { ...below, record: async () => 'call_1' }, state, yes, noRetry)

  expect(delivered).toHaveBeenCalledWith('default', state.inInbox.one)
  expect((await read(state.inInbox.one))?.state).toMatchObject({ undeliveredAtMs: expect.any(Number) })
})

test('[WAIT-9] the marks belong to the asks of the round, wherever its questions are', async () => {
  const { sender, below, state, store } = await scripted()
  const delivered = vi.spyOn(store.asks, 'delivered').mockResolvedValue()
  const record = async () => 'call_1'
  const some = { ...state, inInbox: {}, onRecord: { one: 'ask_1' }, copies: { two: 'ask_2' } }
  await sender.send(callOf(), { ...below, record }, some, { ...yes, two: yes.one }, noRetry)

  expect(delivered.mock.calls).toEqual([
    ['default', 'ask_1'],
    ['default', 'ask_2'],
  ])
})

test('[WAIT-9] an answer is not marked here if its server does not wait inside its call', async () => {
  const { sender, below, state, store } = await scripted()
  const delivered = vi.spyOn(store.asks, 'delivered')
  await sender.send(callOf(), below, state, yes, noRetry)

  expect(delivered).not.toHaveBeenCalled()
})

test('[WAIT-9] an answer that reached the server is not recorded as undelivered', async () => {
  const { sender, below, state, read } = await scripted()
  await sender.send(callOf(), below, state, yes, noRetry)
  await sender.send(callOf(), below, state, yes, { ...retry, forMs: 1 })

  expect((await read(state.inInbox.one))?.state).not.toHaveProperty('undeliveredAtMs')
})

test('[RUN-7] if nothing was sent and a retry is possible, the answer is not undelivered', async () => {
  const { sender, below, state, asks } = await scripted(() => unsent(-1, 'The server is not running.'))
  const noted = vi.spyOn(asks, 'noteUndelivered')
  await sender.send(callOf(), below, { ...state, inInbox: {} }, yes, retry)

  expect(noted).not.toHaveBeenCalled()
})

test('[RUN-9] over HTTP a claimed round runs on when its caller leaves; its notifications are dropped', async () => {
  const leaving = new AbortController()
  const notify = vi.fn()
  const note = { jsonrpc: '2.0', method: 'notifications/message' } as const
  const { sender, below, state } = await scripted(async (call) => {
    call.notify(note)
    leaving.abort()
    call.notify(note)
    await sleep(60)
    return call.signal.aborted ? failed(-1, 'Cancelled.') : done
  })

  expect(await sender.send(callOf({ signal: leaving.signal, notify }), below, state, yes, retry)).toEqual(done)
  expect(notify.mock.calls).toEqual([[note]])
})

test('[RUN-9] over stdio the cancellation is sent to the server, and the outcome is reported as unknown', async () => {
  const leaving = new AbortController()
  const notify = vi.fn()
  const { sender, below, state, calls } = await scripted(async ({ signal }) => {
    leaving.abort()
    await sleep(60)
    return signal.aborted ? failed(-1, 'Cancelled.') : done
  })
  const stdio = { ...retry, retry: { runsOn: false } }

  const next = await sender.send(callOf({ signal: leaving.signal, notify }), below, state, yes, stdio)

  expect(next).toMatchObject({
    error: { code: -32_000, message: expect.stringMatching(/caller cancelled this request.*is not known/) },
  })
  expect(calls[0]?.call.notify).toBe(notify)
})

test('[RUN-9] an outcome that arrives in spite of the cancellation counts', async () => {
  const leaving = new AbortController()
  const { sender, below, state } = await scripted(async () => {
    leaving.abort()
    await sleep(60)
    return done
  })
  const stdio = { ...retry, retry: { runsOn: false } }

  expect(await sender.send(callOf({ signal: leaving.signal }), below, state, yes, stdio)).toEqual(done)
})

test.each([true, false])('[RUN-8] an error of the server is returned unchanged (runs on: %s)', async (runsOn) => {
  const problem = failed(-5, 'No such environment.')
  const { sender, below, state } = await scripted(() => problem)

  expect(await sender.send(callOf(), below, state, yes, { ...retry, retry: { runsOn } })).toEqual(problem)
})

test('[RUN-7] a round of which nothing was sent is not unknown, even if this process stops', async () => {
  const { sender, below, state, shutdown } = await scripted(() => {
    shutdown.enter('closed')
    return unsent(-1, 'The server is not running.')
  })

  expect(await sender.send(callOf(), below, state, yes, retry)).toMatchObject({ isUnsent: true })
})

test('[RUN-8] after a round nothing is left that a shutdown would call', async () => {
  const { sender, below, state, shutdown } = await scripted()
  const unsubscribe = vi.fn()
  const subscribing = vi.spyOn(shutdown, 'onPhase').mockReturnValue(unsubscribe)
  await sender.send(callOf(), below, state, yes, retry)

  expect(subscribing.mock.calls).toEqual([['closed', expect.any(Function)]])
  expect(unsubscribe).toHaveBeenCalledOnce()
})

test('[RUN-6] the fallback asks of the next questions are part of the stored outcome', async () => {
  const next = stateOf({ two: form('Two?'), there: form('Three?') }, { inInbox: { there: 'ask_3' } })
  const { sender, below, state, fallback } = await scripted(
    () => done,
    () => next,
  )
  const outcome = await sender.send(callOf(), below, state, yes, retry)

  const copies = typeof outcome === 'object' && 'copies' in outcome ? outcome.copies : {}
  expect(copies).toEqual({ two: expect.stringMatching(/^ask_/) })
  await fallback.withdraw(callOf(), copies.two ?? '', 'call-cancelled')
})

test('[ROUTE-7] the outcome for a caller that is gone says so', async () => {
  const { sender, below, state } = await scripted()
  const gone = await sender.send(callOf({ signal: AbortSignal.abort() }), below, state, yes, noRetry)
  expect(gone).toEqual(failed(-32_000, 'The caller disconnected.'))
})

test('[RUN-7] only a failure that says so was not sent', () => {
  expect(isUnsent(unsent(-1, 'The server is not running.'))).toBe(true)
  expect([failed(-1, 'No.'), done, stateOf({}), { ...done, isUnsent: true }].map((one) => isUnsent(one))).toEqual(
    Array(4).fill(false),
  )
})
