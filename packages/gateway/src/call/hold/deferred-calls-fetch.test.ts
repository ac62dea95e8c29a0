// Fetching the result of a deferred call.

import { randomBytes } from 'node:crypto'
import { createKeyRing, type JsonObject, requestDigest } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import { writeCallState } from '../call-state.ts'
import { type Ended, unsent } from '../model.ts'
import { callOf, form, stateOf as routedState } from '../route/sample-rounds.suite.ts'
import { outcomeUnknown } from '../route/send-answers.ts'
import { sealState } from '../seal-state.ts'
import { carriedOn } from './lost-calls.ts'
import { asked, callId, digest, done, limited, pause, stateOf, tenant, unavailable, yes } from './sample-calls.suite.ts'
import { detailsOf, keys, openDeferred, textOf } from './sample-deferred.suite.ts'

const call = callOf()
const { over: _over, ...askedAgain } = asked(
  { two: form('Two?') },
  {
    state: stateOf('', { inner: null, round: { id: 'second', atMs: Date.now() } }),
  },
)

/** A call that was deferred, with its answer in the inbox unless it is still open. */
async function openAnswered(replies: Parameters<typeof openDeferred>[0], { isOpen = false, isHeld = false } = {}) {
  const opened = await openDeferred(replies)
  const { outcome, askId } = await opened.waiting(isHeld ? { inner: { held: callId } } : {})
  await opened.deferred.defer(call, outcome, digest)
  if (!isOpen) await opened.answer(askId)
  return { ...opened, askId, state: outcome.state }
}

test('[ROUTE-9] once the person has answered, the call continues as it was made, and its outcome is stored', async () => {
  const { store, fetch, askId, sent } = await openAnswered([done])
  const declared = { elicitation: {} }
  const fetching = callOf({ params: { name: 'await' }, client: { info: { name: 'c' }, declared, capabilities: {} } })

  expect(await fetch(askId, fetching)).toEqual(done)

  expect(sent).toMatchObject([{ how: 'continue', given: yes, call: { method: 'tools/call', params: call.params } }])
  expect(sent[0]?.call.client).toEqual({ info: { name: 'c' }, declared: {}, capabilities: {} })
  expect(await store.deferred.read(tenant, askId, 'ann')).toEqual({ kind: 'finished', outcome: JSON.stringify(done) })
})

test('[ROUTE-9] however often the result is fetched, the call continues once', async () => {
  const { fetch, askId, sent } = await openAnswered([done])

  expect(await Promise.all([fetch(askId), fetch(askId), fetch(askId)])).toEqual([done, done, done])
  expect(await fetch(askId)).toEqual(done)
  expect(sent).toHaveLength(1)
})

test('[ROUTE-9] a call that its server holds continues once too', async () => {
  const { fetch, askId, sent, heldCalls } = await openAnswered([done], { isHeld: true })

  expect(await Promise.all([fetch(askId), fetch(askId)])).toEqual([done, done])

  expect(sent).toHaveLength(1)
  expect(heldCalls.size).toBe(0)
})

test('[ROUTE-9] if the store fails before the answers are sent, the next request sends them', async () => {
  for (const isHeld of [false, true]) {
    const { store, fetch, askId, sent } = await openAnswered([done], { isHeld })
    const part = isHeld ? store.asks : store.rounds
    const failing = vi.spyOn(part as unknown as Record<string, () => Promise<never>>, isHeld ? 'answer' : 'claim')
    failing.mockImplementation(unavailable)

    expect(textOf(await fetch(askId))).toContain('cannot reach its database')
    expect(sent).toEqual([])
    failing.mockRestore()

    expect(await fetch(askId)).toEqual(done)
    expect(sent).toHaveLength(1)
  }
})

test('[ROUTE-8] while the person has not answered, the caller gets the handle again', async () => {
  const { store, fetch, askId, sent } = await openAnswered([], { isOpen: true })

  expect(detailsOf(await fetch(askId))).toMatchObject({ status: 'pending', askId })
  expect(sent).toEqual([])
  expect(await store.deferred.read(tenant, askId, 'ann')).toMatchObject({ kind: 'waiting' })
})

test('[ROUTE-8] a request waits for the answer as long as it can', async () => {
  const { fetch, askId, answer } = await openAnswered([done], { isOpen: true })
  const fetching = fetch(askId, undefined, 5_000)
  await pause()
  await answer(askId)

  expect(await fetching).toEqual(done)
})

test('[RUN-6] a call that asks again is deferred again, and the first handle leads to the second', async () => {
  const { fetch, askId, answer, sent } = await openAnswered([askedAgain, done])

  const next = await fetch(askId)

  const second = String(detailsOf(next).askId)
  expect(second).not.toBe(askId)
  expect(await fetch(askId)).toEqual(next)
  await answer(second)
  expect(await fetch(second)).toEqual(done)
  expect(await fetch(second)).toEqual(done)
  expect(sent).toHaveLength(2)
})

test('[RUN-17] a stored state that cannot be opened, or was moved to another handle, continues nothing', async () => {
  const { store, askId, raise, fetch, sent } = await openAnswered([])
  const other = await raise()
  const found = await store.deferred.read(tenant, askId, 'ann')
  const state = found?.kind === 'waiting' ? found.state : ''
  await store.deferred.keep({ tenant, id: other, principal: 'ann', state, keepMs: 60_000 })
  const keyRing = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
  const withOtherKeys = await openDeferred([], { replica: 'b', store, keyRing })

  for (const fetched of [await fetch(other), await withOtherKeys.fetch(askId)])
    expect(textOf(fetched)).toContain('can no longer be read')
  expect([...sent, ...withOtherKeys.sent]).toEqual([])
})

test('[RUN-17] a stored state without one of its parts, or for another person, continues nothing', async () => {
  const { store, raise, answer, fetch, sent } = await openDeferred([done])
  const answered = await raise()
  await answer(answered)
  const routed = routedState({ one: form('One?') }, { round: { id: 'round', atMs: 0 }, inInbox: { one: answered } })
  const whole = { method: 'tools/call', params: {}, digest, state: writeCallState(routed) }
  const keep = async (
    payload: JsonObject | string,
    bound: { principal?: string; purpose?: string; owner?: string } = {},
  ) => {
    const id = await raise()
    const { principal = 'ann', purpose = 'deferred', owner = 'ann' } = bound
    const ofHandle = requestDigest({ method: 'deferred', target: id, arguments: {} })
    const binding = { principal, purpose, requestDigest: ofHandle, ttlMs: 60_000 }
    const state = sealState({ keys, store }, binding, payload) ?? ''
    await store.deferred.keep({ tenant, id, principal: owner, state, keepMs: 60_000 })
    return id
  }
  const without = (name: string) => Object.fromEntries(Object.entries(whole).filter(([one]) => one !== name))
  const incomplete = ['method', 'params', 'digest', 'state'].map(without)
  const ids = await Promise.all([...incomplete, 'text'].map((payload) => keep(payload)))
  ids.push(await keep(whole, { principal: 'bob' }), await keep(whole, { purpose: 'other' }))

  for (const id of ids) expect(textOf(await fetch(id))).toContain('can no longer be read')
  expect(sent).toEqual([])
  expect(await fetch(await keep(whole))).toEqual(done)
})

test('[STORE-15] while the store is unavailable the result is unknown, and any other error is thrown', async () => {
  const { store, fetch, askId } = await openAnswered([])
  const reading = vi.spyOn(store.deferred, 'read').mockImplementation(unavailable)

  const unknown = await fetch(askId)
  expect(detailsOf(unknown)).toEqual({ status: 'pending', askId, message: expect.stringContaining('again later') })
  expect(textOf(unknown)).toContain('cannot reach its database')
  reading.mockRejectedValue(new Error('A bug.'))
  await expect(fetch(askId)).rejects.toThrow('A bug.')
})

test('[RUN-12] an outcome that the store could not take is stored by the next request, and nothing runs again', async () => {
  for (const isHeld of [false, true]) {
    const { store, fetch, askId, sent } = await openAnswered([done], { isHeld })
    const finishing = vi.spyOn(store.deferred, 'finish').mockImplementation(unavailable)

    expect(textOf(await fetch(askId))).toContain('cannot reach its database')
    finishing.mockRestore()

    expect(await fetch(askId)).toEqual(done)
    expect(await store.deferred.read(tenant, askId, 'ann')).toMatchObject({ kind: 'finished' })
    expect(sent).toHaveLength(1)
  }
})

test('[RUN-8] if the process fails during the call, a retry gets an error and runs nothing', async () => {
  const { fetch, askId, sent } = await openAnswered([() => Promise.reject(new Error('A bug.'))])

  await expect(fetch(askId)).rejects.toThrow('A bug.')

  expect(await fetch(askId)).toEqual(outcomeUnknown)
  expect(await fetch(askId)).toEqual(outcomeUnknown)
  expect(sent).toHaveLength(1)
})

test('[ROUTE-9] the outcome that another request stored first is returned', async () => {
  const { store, fetch, askId } = await openAnswered([done])
  const other: Ended = { kind: 'finished', result: { content: [], other: true } }
  const finish = store.deferred.finish.bind(store.deferred)
  vi.spyOn(store.deferred, 'finish').mockImplementation(async (...outcome) => {
    await finish(tenant, askId, JSON.stringify(other))
    return finish(...outcome)
  })

  expect(await fetch(askId)).toEqual(other)
})

test('[ROUTE-9] an outcome is returned even if its handle expires before it is stored', async () => {
  const { store, fetch, askId } = await openAnswered([done])
  vi.spyOn(store.deferred, 'finish').mockImplementation(async () => {
    vi.spyOn(store.deferred, 'read').mockResolvedValue(undefined)
    return false
  })

  expect(await fetch(askId)).toEqual(done)
})

test('[ROUTE-9] if nothing was sent, nothing is stored, and the next request sends it', async () => {
  const refused = unsent(0, 'The server is not reached.')
  const { store, fetch, askId, sent } = await openAnswered([refused, done])

  expect(await fetch(askId)).toEqual(refused)
  expect(await store.deferred.read(tenant, askId, 'ann')).toMatchObject({ kind: 'waiting' })
  expect(await fetch(askId)).toEqual(done)
  expect(sent).toHaveLength(2)
})

test('[ROUTE-9] while another replica continues the call, the caller gets the handle again, and then the outcome', async () => {
  const { promise, resolve } = Promise.withResolvers<typeof done>()
  const { store, fetch, askId, sent } = await openAnswered([() => promise])
  const elsewhere = await openDeferred([], { replica: 'b', store })
  const running = fetch(askId)
  await until(() => (sent.length === 1 ? true : undefined))

  const pending = await elsewhere.fetch(askId)

  expect(detailsOf(pending)).toMatchObject({ status: 'pending', askId })
  expect(textOf(pending)).toContain('the person has answered, and it is running')
  resolve(done)
  expect(await running).toEqual(done)
  expect(await elsewhere.fetch(askId)).toEqual(done)
  expect(elsewhere.sent).toEqual([])
})

test('[ROUTE-9] a state that could be sent twice is not continued', async () => {
  const { store, deferred, waiting, answer, fetch, sent } = await openDeferred([done])
  const { outcome, askId } = await waiting()
  const { round: _round, ...state } = outcome.state
  await deferred.defer(call, { ...outcome, state }, digest)
  await answer(askId)

  expect(textOf(await fetch(askId))).toContain('can no longer be read')
  expect(sent).toEqual([])
  expect(await store.deferred.claim(tenant, askId, 'ann', 'b')).toBe(true)
  expect(textOf(await fetch(askId))).toContain('can no longer be read')
})

test('[RUN-9] a caller that cancels while the server runs the call cancels it there', async () => {
  limited({ cancelAfterAnswerMs: 5 })
  const caller = new AbortController()
  const { promise, resolve } = Promise.withResolvers<typeof done>()
  const { fetch, askId, sent } = await openAnswered([() => promise])
  const fetching = fetch(askId, callOf({ signal: caller.signal }))
  await until(() => (sent.length === 1 ? true : undefined))
  caller.abort()

  await until(() => (sent[0]?.call.signal.aborted === true ? true : undefined), 5_000)
  resolve(done)
  expect(await fetching).toEqual(done)
})

test('[RUN-2] a caller that drops its request before the person answers can fetch the result later', async () => {
  const caller = new AbortController()
  const { fetch, askId, ask, answer } = await openAnswered([done], { isOpen: true })
  const fetching = fetch(askId, callOf({ signal: caller.signal }), 5_000)
  await pause()
  caller.abort()
  await fetching
  expect(await ask(askId)).toMatchObject({ kind: 'open' })
  await answer(askId)

  expect(await fetch(askId)).toEqual(done)
})

test('[FLEET-3] a fetch at a replica that cannot reach the holder stores nothing', async () => {
  const { store, askId } = await openAnswered([], { isHeld: true })
  const elsewhere = await openDeferred([], { replica: 'b', store })
  const finish = vi.spyOn(store.deferred, 'finish')

  const outcome = await elsewhere.fetch(askId)

  expect(outcome).toMatchObject({
    kind: 'failed',
    error: { message: expect.stringContaining('Another Assent process') },
  })
  expect(finish).not.toHaveBeenCalled()
  expect(await store.deferred.read(tenant, askId, 'ann')).toMatchObject({ kind: 'waiting' })
  expect(elsewhere.sent).toEqual([])
})

test('[FLEET-4] a request that ends without the answer leaves nothing attached', async () => {
  const { fetch, askId, heldCalls, cancelled } = await openAnswered([done], { isHeld: true, isOpen: true })

  await fetch(askId)

  expect(heldCalls.size).toBe(1)
  expect(cancelled).toEqual([])
})

test('[ROUTE-5] a call that another replica holds is deferred at this one', async () => {
  limited({ waitsMost: 3 })
  const holder = await openDeferred([done])
  const { outcome, askId } = await holder.waiting({ inner: { held: callId } })
  await holder.heldCalls.adopt(call, outcome.state, new Promise(() => undefined), digest)
  const elsewhere = await openDeferred([], { replica: 'b', store: holder.store })
  // Its caller retried here, so no server waits in this process.
  const often = { kind: 'input-required', wanted: {}, state: { ...outcome.state, waits: 4 } } as const

  const pending = await elsewhere.deferred.deferIfLong(call, often, digest)

  expect(detailsOf(pending)).toMatchObject({ status: 'pending', askId })
  expect([holder.heldCalls.size, elsewhere.heldCalls.size]).toEqual([1, 0])
  await holder.answer(askId)
  expect(await holder.fetch(askId)).toEqual(done)
})

test('[ROUTE-9] an outcome that only the request that ran the call has is not stored by another one', async () => {
  limited({ storedMeanwhileMs: 60, claimedLookMs: 5 })
  const { store, askId } = await openAnswered([], { isHeld: true })
  await store.calls.finish(tenant, callId, 'a', JSON.stringify(carriedOn))
  const elsewhere = await openDeferred([], { replica: 'b', store })

  expect(await elsewhere.fetch(askId)).toEqual(carriedOn)
  expect(await store.deferred.read(tenant, askId, 'ann')).toMatchObject({ kind: 'waiting' })

  limited({ storedMeanwhileMs: 5_000 })
  const fetching = elsewhere.fetch(askId)
  await pause()
  await store.deferred.finish(tenant, askId, JSON.stringify(done))
  expect(await fetching).toEqual(done)
})

test('[ROUTE-9] a result that was too large to store for a retry does not replace the one of the request that got it', async () => {
  limited({ roundOutcomeChars: 10, storedMeanwhileMs: 5_000, claimedLookMs: 5 })
  const { store, fetch, askId } = await openAnswered([done])
  const elsewhere = await openDeferred([], { replica: 'b', store })
  const finish = store.deferred.finish.bind(store.deferred)
  let other: ReturnType<typeof fetch> | undefined
  vi.spyOn(store.deferred, 'finish').mockImplementationOnce(async (...outcome) => {
    other = elsewhere.fetch(askId)
    await pause()
    return finish(...outcome)
  })

  expect(await fetch(askId)).toEqual(done)
  expect(await other).toEqual(done)
})

test('[ROUTE-9] a question that only a client can answer ends the call, once', async () => {
  for (const isHeld of [false, true]) {
    const sampling = { two: { kind: 'sampling', params: {} } } as const
    const state = isHeld ? stateOf() : stateOf('', { inner: null })
    const { over, ...plain } = asked(sampling, { state })
    const { fetch, askId, sent, cancelled } = await openAnswered([isHeld ? ({ ...plain, over } as never) : plain], {
      isHeld,
    })

    const outcome = await fetch(askId)

    expect(outcome).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining('only the client') } })
    expect(await fetch(askId)).toEqual(outcome)
    expect([sent.length, cancelled.length]).toEqual([1, isHeld ? 1 : 0])
  }
})

test('[ROUTE-8] while one of several asks is open, the result says so and links to it', async () => {
  const opened = await openDeferred([], { inboxUrl: 'https://inbox.example' })
  const second = await opened.raise('Two?')
  const { outcome, askId } = await opened.waiting({}, { two: second })
  await opened.deferred.defer(call, outcome, digest)
  await opened.answer(askId)

  const pending = await opened.fetch(askId)

  expect(textOf(pending)).toContain('it waits for a person')
  expect(detailsOf(pending)).toMatchObject({ askId, askUrl: `https://inbox.example/asks/${second}` })
})
