// Held calls that another request continues: at another replica, or as a deferred call.

import type { JsonObject } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import { callOf, form, stateOf as routedState } from '../route/sample-rounds.suite.ts'
import { leaseLost } from './lost-calls.ts'
import { cancelPath, continuePath } from './remote-calls.ts'
import {
  asked,
  callId,
  digest,
  done,
  endLease,
  needingInput,
  openHeld,
  otherCallId,
  pause,
  stateOf,
  tenant,
  unavailable,
  yes,
} from './sample-calls.suite.ts'
import { lookEvery, othersOf, received, serveOthers } from './sample-cluster.suite.ts'

const call = callOf()
const ended = [{ state: { kind: 'ended' } }]
const routed = routedState({ one: form('One?') }, { inner: { held: callId } })

/** Replica `a` holds a call; replica `b` gets the retries. */
async function openPair(replies: Parameters<typeof openHeld>[0], started = call) {
  lookEvery(40)
  const holder = await openHeld([asked(), ...replies])
  const { store, heartbeat, heldCalls } = holder
  await serveOthers(store, heartbeat, heldCalls.handlers)
  const other = await openHeld([], { replica: 'b', store, others: othersOf('b', store) })
  const first = needingInput(await holder.layer.start(started))
  return { holder, other, state: first.state, asks: first.asks ?? {} }
}

test('[FLEET-3] a retry at another replica continues the call at its owner, once, and gets the stored outcome', async () => {
  const { holder, other, state, asks } = await openPair([done])

  expect(await other.layer.continue(call, state, yes)).toEqual(done)
  expect(await other.layer.continue(call, state, yes)).toEqual(done)

  expect(holder.answersSent()).toEqual([yes])
  expect(other.sent).toEqual([])
  expect(await holder.ask(asks.one)).toMatchObject({ kind: 'settled', via: 'client', by: 'ann' })
})

test('[FLEET-3] a retry at another replica waits while the owner continues the call', async () => {
  const { promise, resolve } = Promise.withResolvers<typeof done>()
  const { holder, other, state } = await openPair([() => promise])
  const continuing = other.layer.continue(call, state, yes)
  await until(() => (holder.sent.length === 2 ? true : undefined))
  setTimeout(resolve, 130, done)

  expect(await continuing).toEqual(done)
})

test('[FLEET-3] a call that asks again at its owner returns the next questions', async () => {
  const { holder, other, state } = await openPair([asked({ two: form('Two?') })])

  const next = needingInput(await other.layer.continue(call, state, yes))

  expect(Object.keys(next.wanted)).toEqual(['two'])
  expect(await holder.ask(next.asks?.two)).toMatchObject({ kind: 'open' })
})

test('[FLEET-3] [RELAY-11] a question after a retry at another replica shows the arguments, and the server gets the token of the retry', async () => {
  const params = { name: 'wipe', arguments: { database: 'prod' } }
  const withToken = (progressToken: number) => callOf({ params: { ...params, _meta: { progressToken } } })
  const { holder, other, state } = await openPair([asked({ two: form('Two?') }), done], withToken(1))

  const next = needingInput(await other.layer.continue(withToken(2), state, yes))
  await other.layer.continue(callOf({ params }), state, { two: { result: { action: 'cancel' } } })

  const asking = await holder.store.asks.read(tenant, next.asks?.two ?? '')
  expect(asking?.question).toMatchObject({ call: { tool: 'wipe', arguments: { database: 'prod' } } })
  expect(holder.sent.map(({ call: { params: sent } }) => sent)).toEqual([
    { ...params, _meta: { progressToken: 1 } },
    { ...params, _meta: { progressToken: 2 } },
    { ...params, _meta: {} },
  ])
})

test('[FLEET-4] if the owner dies while it continues the call, the retry gets an error', async () => {
  const { promise, resolve } = Promise.withResolvers<typeof done>()
  const { holder, other, state } = await openPair([() => promise])
  const continuing = other.layer.continue(call, state, yes)
  await until(() => (holder.sent.length === 2 ? true : undefined))
  await endLease(holder.store)

  expect(await continuing).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining('not known') } })
  resolve(done)
})

test('[RELAY-11] a request of a caller that has left before cancels the call at its owner', async () => {
  const { holder, other, state } = await openPair([])

  await other.layer.continue(callOf({ signal: AbortSignal.abort() }), state, {})

  expect(holder.cancelled).toHaveLength(1)
})

test('[FLEET-3] a process that cannot be reached and holds the call is named in the error', async () => {
  const holder = await openHeld([asked()])
  const { state } = needingInput(await holder.layer.start(call))
  const other = await openHeld([], { replica: 'b', store: holder.store })

  const outcome = await other.layer.continue(call, state, yes)

  expect(outcome).toMatchObject({
    kind: 'failed',
    error: { message: expect.stringContaining('Another Assent process') },
  })
})

test('[RUN-4] a running row of this replica that it does not hold is not continued', async () => {
  const { store, heartbeat, layer, sent } = await openHeld([])
  await heartbeat.ensure()
  const row = { tenant, id: callId, principal: 'ann', server: 'deploy', method: 'tools/call', requestDigest: digest }
  await store.calls.begin({ ...row, owner: 'a' })

  expect(await layer.continue(call, stateOf(), yes)).toEqual(leaseLost)
  expect(sent).toEqual([])
})

/** A request of another replica to continue the call, as the owner receives it. */
function request(changes: JsonObject = {}, by: Parameters<typeof received>[1] = {}) {
  const content = { name: 'request 1', state: stateOf() as JsonObject, requestDigest: digest, given: yes as JsonObject }
  return received({ ...content, ...changes }, by)
}

test('[FLEET-14] another person, or a request with another digest, does not continue the call', async () => {
  const { heldCalls, layer, sent, ask } = await openHeld([asked()])
  const { asks = {} } = needingInput(await layer.start(call))

  for (const { forwarded, lines } of [request({}, { principal: 'bob' }), request({ requestDigest: 'other' })]) {
    await heldCalls.handlers[continuePath]?.(forwarded)
    expect(lines()).toEqual([])
  }
  expect(sent).toHaveLength(1)
  expect(await ask(asks.one)).toMatchObject({ kind: 'open' })
})

test('[FLEET-14] a call of another tenant, or one that is not held here, has ended for the sender', async () => {
  const { heldCalls, layer, sent, ask } = await openHeld([asked()])
  const { asks = {} } = needingInput(await layer.start(call))
  const unknown = [request({}, { tenant: 'other' }), request({ state: stateOf(otherCallId) as JsonObject })]

  for (const { forwarded, lines } of [...unknown, request({ state: stateOf('', { inner: null }) as JsonObject })]) {
    await heldCalls.handlers[continuePath]?.(forwarded)
    expect(lines()).toEqual(ended)
  }
  expect(sent).toHaveLength(1)
  expect(await ask(asks.one)).toMatchObject({ kind: 'open' })
})

test('[FLEET-12] a pending outcome is stored before the sender gets the end of the call', async () => {
  const { store, heldCalls, layer, row } = await openHeld([asked(), done])
  const { state } = needingInput(await layer.start(call))
  const finishing = vi.spyOn(store.calls, 'finish').mockImplementation(unavailable)
  await expect(layer.continue(call, state, yes)).rejects.toThrow('unavailable')
  const handle = heldCalls.handlers[continuePath]
  const early = request()
  await expect(handle?.(early.forwarded)).rejects.toThrow('unavailable')
  expect(early.response.destroyed).toBe(true)
  finishing.mockRestore()

  const { forwarded, lines } = request()
  await handle?.(forwarded)

  expect(lines()).toEqual(ended)
  expect(await row()).toMatchObject({ kind: 'finished', outcome: JSON.stringify(done) })
})

test('[RELAY-11] a request of another replica can be cancelled', async () => {
  const { promise, resolve } = Promise.withResolvers<typeof done>()
  const { heldCalls, layer, sent } = await openHeld([asked(), () => promise])
  await layer.start(call)
  const continuing = heldCalls.handlers[continuePath]?.(request().forwarded)
  await until(() => (sent.length === 2 ? true : undefined))

  await heldCalls.handlers[cancelPath]?.(received({ name: 'request 1' }).forwarded)

  expect(sent[1]?.call.signal.aborted).toBe(true)
  resolve(done)
  await continuing
})

test('[ROUTE-8] a call that its caller stopped waiting for is held, with its asks, and the caller can fetch the outcome', async () => {
  const { store, heldCalls, layer, raise, ask, answersSent } = await openHeld([done])
  const id = await raise()
  const over = new Promise<void>(() => undefined)

  await heldCalls.adopt(call, { ...routed, inInbox: { one: id } }, over, digest)

  expect(heldCalls.size).toBe(1)
  expect(await store.calls.read(tenant, callId, 'ann')).toMatchObject({
    owner: 'a',
    requestDigest: digest,
    server: 'deploy',
  })
  expect(await layer.continue(call, stateOf(), yes)).toEqual(done)
  expect(answersSent()).toEqual([yes])
  expect(await ask(id)).toMatchObject({ kind: 'settled', via: 'client' })
})

test('[ROUTE-8] an attached call keeps its row when it is adopted, and its caller cancels nothing', async () => {
  const { store, heldCalls, layer, raise, cancelled } = await openHeld([asked(), done])
  const running = heldCalls.inPlace(call)
  await running.start(call)
  await running.record(stateOf())
  const begin = vi.spyOn(store.calls, 'begin')
  const id = await raise()

  await heldCalls.adopt(call, { ...routed, inInbox: { one: id } }, undefined, digest)
  running.end()

  expect(begin).not.toHaveBeenCalled()
  expect(cancelled).toEqual([])
  const { forwarded, lines } = request()
  await heldCalls.handlers[continuePath]?.(forwarded)
  expect(lines()).toEqual(ended)
  expect(await layer.continue(call, stateOf(), yes)).toEqual(done)
})

test('[ROUTE-8] a call without a waiting server, or one that is held already, is not adopted', async () => {
  const { heldCalls, layer, row } = await openHeld([asked()])
  await heldCalls.adopt(call, routedState({ one: form('One?') }), undefined, digest)
  expect(heldCalls.size).toBe(0)
  const { asks = {} } = needingInput(await layer.start(call))

  await heldCalls.adopt(callOf({ principal: 'bob' }), routed, Promise.resolve(), 'other')
  await pause()

  expect(heldCalls.size).toBe(1)
  expect(await row()).toEqual({ kind: 'running' })
  const { forwarded, lines } = request({}, { principal: 'bob' })
  await heldCalls.handlers[continuePath]?.(forwarded)
  expect(lines()).toEqual([])
  expect(asks.one).toBeDefined()
})

test('[ROUTE-8] when the server of an adopted call stops waiting, its question is withdrawn and its outcome stored', async () => {
  const { heldCalls, raise, ask, row, sent } = await openHeld([done])
  const id = await raise()
  const { promise: over, resolve: stop } = Promise.withResolvers<void>()
  await heldCalls.adopt(call, { ...routed, inInbox: { one: id } }, over, digest)
  expect(sent).toEqual([])

  stop()
  await until(async () => ((await row())?.kind === 'finished' ? true : undefined))

  expect(await ask(id)).toMatchObject({ kind: 'withdrawn', reason: 'asker-stopped' })
})

test('[ROUTE-8] an error of the server of an adopted call is reported', async () => {
  const { heldCalls, errors } = await openHeld([])

  await heldCalls.adopt(call, routed, Promise.reject(new Error('The connection broke.')), digest)

  await until(() => (errors.length > 0 ? true : undefined))
  expect(errors).toMatchObject([{ message: 'The connection broke.' }])
})
