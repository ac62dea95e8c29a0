// How the replica that holds a call handles the requests of other replicas.

import type { JsonObject } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { clientLimits, setLimits } from '../../limits.ts'
import type { Call } from '../model.ts'
import { Shutdown } from '../shutdown.ts'
import { type ContinueHere, RemoteCalls } from './remote-calls.ts'
import { openReplica, pause, stateOf, yes } from './sample-calls.suite.ts'
import { received } from './sample-cluster.suite.ts'

const ended = { kind: 'ended' } as const
const ofRequest = {
  name: 'request 1',
  state: stateOf() as JsonObject,
  requestDigest: 'digest',
  given: yes as JsonObject,
}

test('[FLEET-14] a request without a state or the digest of its call is refused', async () => {
  const { store } = await openReplica()
  const remote = new RemoteCalls(store, undefined, new Shutdown())
  const continueHere = vi.fn()
  const { state: _state, ...withoutState } = ofRequest
  const { requestDigest: _digest, ...withoutDigest } = ofRequest

  for (const body of [withoutState, withoutDigest, { ...ofRequest, state: 1 }, '[]', '"text"']) {
    const { forwarded, status, response } = received(body)
    await remote.continue(forwarded, continueHere)
    expect([status(), response.writableEnded]).toEqual([400, true])
  }
  expect(continueHere).not.toHaveBeenCalled()
})

test('[FLEET-14] only the same person can cancel a request, by its name', async () => {
  const { store } = await openReplica()
  const remote = new RemoteCalls(store, undefined, new Shutdown())
  const { promise, resolve } = Promise.withResolvers<undefined>()
  let signal: AbortSignal | undefined
  const continuing = remote.continue(received(ofRequest).forwarded, (call) => {
    signal = call.signal
    return promise
  })
  const cancel = async (name: string, principal: string, expected: number) => {
    const { forwarded, status, response } = received({ name }, { principal })
    await remote.cancel(forwarded)
    expect([status(), response.writableEnded]).toEqual([expected, true])
    return signal?.aborted
  }

  expect(await cancel('request 1', 'bob', 404)).toBe(false)
  expect(await cancel('request 2', 'ann', 404)).toBe(false)
  expect(await cancel('request 1', 'ann', 200)).toBe(true)
  resolve(undefined)
  await continuing
})

test('[FLEET-14] a request that has ended cannot be cancelled, and the shutdown does not concern it', async () => {
  const { store } = await openReplica()
  const shutdown = new Shutdown()
  const remote = new RemoteCalls(store, undefined, shutdown)
  const { forwarded, status, lines, response } = received(ofRequest)
  let signal: AbortSignal | undefined
  await remote.continue(forwarded, async (call) => {
    signal = call.signal
    return ended
  })
  await remote.cancel(received({ name: 'request 1' }).forwarded)
  shutdown.enter('closed')

  expect(signal?.aborted).toBe(false)
  expect(response.destroyed).toBe(false)
  expect([status(), lines()]).toEqual([200, [{ state: ended }]])
})

test('[FLEET-14] missing parts of a request are read as empty', async () => {
  const { store } = await openReplica()
  const remote = new RemoteCalls(store, undefined, new Shutdown())
  const { given: _given, ...rest } = ofRequest
  const continueHere = vi.fn<ContinueHere>(async () => ended)

  await remote.continue(received(rest).forwarded, continueHere)

  const [call, state, given, digest] = continueHere.mock.calls[0] ?? []
  const client = { info: {}, declared: {}, capabilities: {} }
  expect(call).toMatchObject({ method: '', params: { _meta: {} }, client, requestHeaders: {} })
  expect([state, given, digest]).toEqual([stateOf(), {}, 'digest'])
})

test('[FLEET-14] a request that fails ends without a state', async () => {
  const { store } = await openReplica()
  const remote = new RemoteCalls(store, undefined, new Shutdown())
  const { forwarded, response, lines } = received(ofRequest)

  await expect(remote.continue(forwarded, () => Promise.reject(new Error('A bug.')))).rejects.toThrow('A bug.')
  expect(response.destroyed).toBe(true)

  const refused = received(ofRequest)
  await remote.continue(refused.forwarded, async () => undefined)
  expect([refused.lines(), refused.response.writableEnded]).toEqual([[], true])
  expect(lines()).toEqual([])
})

test('[RELAY-11] progress is forwarded at most every 100 ms, and other notifications always', async () => {
  const { store } = await openReplica()
  const remote = new RemoteCalls(store, undefined, new Shutdown())
  const { forwarded, lines } = received(ofRequest)
  const progress = (value: number) => ({ jsonrpc: '2.0', method: 'notifications/progress', params: { value } }) as const
  const message = { jsonrpc: '2.0', method: 'notifications/message' } as const

  await remote.continue(forwarded, async ({ notify }) => {
    for (const one of [progress(1), progress(2), message, message]) notify(one)
    await pause(110)
    for (const one of [progress(3), progress(4)]) notify(one)
    return ended
  })

  const notified = [progress(1), message, message, progress(3)].map((notification) => ({ notification }))
  expect(lines()).toEqual([...notified, { state: ended }])
})

test('[LIMIT-4] a sender that does not read is disconnected, and a notification after the end is dropped', async () => {
  closeAfterTest(setLimits(clientLimits, { unreadBytes: 1_000 }))
  const { store } = await openReplica()
  const remote = new RemoteCalls(store, undefined, new Shutdown())
  const message = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(40_000) } } as const
  const unread = received(ofRequest)
  const write = vi.spyOn(unread.response, 'write')
  await remote.continue(unread.forwarded, async ({ notify }) => {
    for (let count = 0; count < 4; count++) notify(message)
    expect(unread.response.destroyed).toBe(true)
    return undefined
  })
  expect(write.mock.calls.length).toBeLessThan(4)

  const late = received(ofRequest)
  let notifyLater: Call['notify'] = () => undefined
  await remote.continue(late.forwarded, async ({ notify }) => {
    notifyLater = notify
    return ended
  })
  const written = vi.spyOn(late.response, 'write')
  notifyLater(message)
  expect(written).not.toHaveBeenCalled()
})
