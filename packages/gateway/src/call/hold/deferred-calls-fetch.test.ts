// Fetching the result of a deferred call.

import { randomBytes } from 'node:crypto'
import { createKeyRing, type JsonObject, requestDigest } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import { writeCallState } from '../call-state.ts'
import type { Ended } from '../model.ts'
import { callOf, form } from '../route/sample-rounds.suite.ts'
import { sealState } from '../seal-state.ts'
import { draftOf, lost } from './lost-calls.ts'
import {
  asked,
  callId,
  digest,
  done,
  limited,
  otherCallId,
  pause,
  stateOf,
  tenant,
  unavailable,
  yes,
} from './sample-calls.suite.ts'
import { detailsOf, keys, openDeferred, textOf } from './sample-deferred.suite.ts'

const call = callOf()
const { over: _over, ...askedAgain } = asked({ two: form('Two?') }, { state: stateOf('', { inner: null }) })

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
  limited({ claimedLookMs: 5 })
  const { store, fetch, askId, sent, heldCalls } = await openAnswered([done], { isHeld: true })
  const claim = vi.spyOn(store.deferred, 'claim')

  expect(await Promise.all([fetch(askId), fetch(askId)])).toEqual([done, done])

  expect(sent).toHaveLength(1)
  expect(claim.mock.calls[0]).toEqual([tenant, askId, 'ann', callId])
  expect(heldCalls.size).toBe(0)
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
  const { store, raise, fetch, sent } = await openDeferred([done])
  const whole = { method: 'tools/call', params: {}, digest, state: writeCallState(stateOf('', { inner: null })) }
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
  expect(detailsOf(unknown)).toEqual({ status: 'pending', askId })
  expect(textOf(unknown)).toContain('cannot reach its database')
  reading.mockRejectedValue(new Error('A bug.'))
  await expect(fetch(askId)).rejects.toThrow('A bug.')
})

test('[RUN-12] an outcome that the store could not take is found in the row of the call that ran it', async () => {
  limited({ claimedLookMs: 5 })
  const { store, fetch, askId, sent } = await openAnswered([done])
  const finishing = vi.spyOn(store.deferred, 'finish').mockImplementation(unavailable)

  expect(detailsOf(await fetch(askId))).toEqual({ status: 'pending', askId })
  finishing.mockRestore()

  expect(await fetch(askId)).toEqual(done)
  expect(sent).toHaveLength(1)
})

test('[RUN-8] if the process fails during the call, a retry gets an error and runs nothing', async () => {
  limited({ claimedLookMs: 5 })
  const { store, fetch, askId, sent } = await openAnswered([() => Promise.reject(new Error('A bug.'))])

  await expect(fetch(askId)).rejects.toThrow('A bug.')

  expect(await store.deferred.read(tenant, askId, 'ann')).toMatchObject({ kind: 'claimed' })
  expect(await fetch(askId)).toEqual(lost)
  expect(sent).toHaveLength(1)
})

test('[ROUTE-9] if the call cannot be recorded or claimed, nothing is sent', async () => {
  for (const [part, method] of [
    ['calls', 'begin'],
    ['deferred', 'claim'],
  ] as const) {
    const { store, fetch, askId, sent } = await openAnswered([done])
    const failing = vi.spyOn(store[part] as unknown as Record<string, () => Promise<never>>, method)
    failing.mockImplementation(unavailable)

    expect(detailsOf(await fetch(askId))).toEqual({ status: 'pending', askId })
    expect(sent).toEqual([])
  }
})

test('[STORE-16] a request that loses the claim sends nothing and returns the outcome of the other', async () => {
  limited({ claimedLookMs: 5 })
  const { store, fetch, askId, sent } = await openAnswered([])
  const claim = store.deferred.claim.bind(store.deferred)
  vi.spyOn(store.deferred, 'claim').mockImplementation(async () => {
    await claim(tenant, askId, 'ann', otherCallId)
    await store.deferred.finish(tenant, askId, JSON.stringify(done))
    return false
  })

  expect(await fetch(askId)).toEqual(done)
  expect(sent).toEqual([])
})

/** A deferred call that another process has claimed under this call id. */
async function openClaimed(claimedCall: string | undefined = otherCallId) {
  limited({ claimedWaitMs: 60, claimedLookMs: 5 })
  const opened = await openAnswered([])
  const { store, heartbeat } = opened
  await heartbeat.ensure()
  await store.calls.begin({ ...draftOf(call, otherCallId, 'deploy', ''), owner: 'a' })
  await store.deferred.claim(tenant, opened.askId, 'ann', claimedCall)
  return opened
}

test('[ROUTE-9] while another process continues the call, the caller gets the time since when', async () => {
  const { store, fetch, askId, sent } = await openClaimed()
  const found = await store.deferred.read(tenant, askId, 'ann')
  const since = new Date(found?.kind === 'claimed' ? found.atMs : 0).toISOString()

  const text = textOf(await fetch(askId))

  expect(text).toContain(`continued at ${since}. It has not ended yet`)
  expect(text).toContain('assent__await_answer')
  expect(sent).toEqual([])
})

test('[ROUTE-9] the outcome that the other process stores meanwhile is returned', async () => {
  const { store, fetch, askId } = await openClaimed()
  limited({ claimedWaitMs: 5_000 })
  const fetching = fetch(askId)
  await pause()
  await store.deferred.finish(tenant, askId, JSON.stringify(done))

  expect(await fetching).toEqual(done)
})

test('[ROUTE-9] a claim without the id of its call, and a handle that expires meanwhile, end nothing', async () => {
  const { store, fetch, askId } = await openClaimed()
  const found = await store.deferred.read(tenant, askId, 'ann')
  const reading = vi.spyOn(store.deferred, 'read')
  reading.mockResolvedValue({ kind: 'claimed', atMs: 5, callId: undefined })
  expect(textOf(await fetch(askId))).toContain(`continued at ${new Date(5).toISOString()}`)

  reading.mockReset().mockResolvedValue(undefined).mockResolvedValueOnce(found)
  expect(textOf(await fetch(askId))).toContain('It has not ended yet')

  await store.abandonCall({ tenant, id: otherCallId, owner: 'a', reason: 'owner-lost' })
  reading.mockReset().mockResolvedValue(undefined).mockResolvedValueOnce(found).mockResolvedValueOnce(found)
  expect(await fetch(askId)).toEqual(lost)
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

test('[RUN-8] if the process that claimed the call is gone, the caller gets an error at once', async () => {
  limited({ claimedWaitMs: 5_000 })
  const { store, fetch, askId } = await openClaimed()
  await store.abandonCall({ tenant, id: otherCallId, owner: 'a', reason: 'owner-lost' })
  expect(await fetch(askId)).toEqual(lost)

  const unknown = await openClaimed(callId)
  expect(await unknown.fetch(unknown.askId)).toEqual(lost)
})

test('[RUN-12] the outcome in the row of the claimed call is returned; one stored with the handle comes first', async () => {
  const { store, fetch, askId } = await openClaimed()
  const other: Ended = { kind: 'finished', result: { content: [], other: true } }
  await store.calls.finish(tenant, otherCallId, 'a', JSON.stringify(other))
  expect(await fetch(askId)).toEqual(other)

  const raced = await openClaimed()
  const read = raced.store.calls.read.bind(raced.store.calls)
  vi.spyOn(raced.store.calls, 'read').mockImplementation(async (...key) => {
    await raced.store.deferred.finish(tenant, raced.askId, JSON.stringify(done))
    await raced.store.calls.finish(tenant, otherCallId, 'a', JSON.stringify(other))
    return read(...key)
  })
  expect(await raced.fetch(raced.askId)).toEqual(done)
})

test('[FLEET-3] a fetch at a replica that does not hold the call claims nothing', async () => {
  const { store, askId } = await openAnswered([], { isHeld: true })
  const elsewhere = await openDeferred([], { replica: 'b', store })
  const [claim, finish] = [vi.spyOn(store.deferred, 'claim'), vi.spyOn(store.deferred, 'finish')]

  const outcome = await elsewhere.fetch(askId)

  expect(outcome).toMatchObject({
    kind: 'failed',
    error: { message: expect.stringContaining('Another Assent process') },
  })
  expect(claim).not.toHaveBeenCalled()
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

test('[FLEET-4] the row of the request that continued the call ends with it', async () => {
  const { store, fetch, askId } = await openAnswered([done])
  const claim = vi.spyOn(store.deferred, 'claim')

  await fetch(askId)

  const id = claim.mock.calls[0]?.[3] ?? ''
  await until(async () => ((await store.calls.read(tenant, id, 'ann'))?.state.kind === 'finished' ? true : undefined))
})
