import { expect, test, vi } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import type { RelayState } from '../call-state.ts'
import { failed, type Outcome } from '../model.ts'
import { callOf, form } from '../route/sample-rounds.suite.ts'
import { OpenAskLimits } from '../screen/open-limits.ts'
import { leaseLost, lost } from './lost-calls.ts'
import {
  asked,
  callId,
  digest,
  done,
  endLease,
  limited,
  needingInput,
  openHeld,
  otherCallId,
  pause,
  stateOf,
  tenant,
  unavailable,
  yes,
} from './sample-calls.suite.ts'

const call = callOf()
const stored = { kind: 'finished', outcome: JSON.stringify(done) }
const { over: _over, ...carried } = asked(undefined, { state: stateOf(undefined, { inner: null }) })

test('[RELAY-7] a held call is stored with its person and request before its questions are raised', async () => {
  const { store, layer, heldCalls, sent } = await openHeld([asked()])
  const raise = store.asks.raise.bind(store.asks)
  let rowThen: unknown
  vi.spyOn(store.asks, 'raise').mockImplementation(async (...draft) => {
    rowThen = await store.calls.read(tenant, callId, 'ann')
    return raise(...draft)
  })

  const outcome = needingInput(await layer.start(call))

  expect(sent).toMatchObject([{ how: 'start', call: { principal: 'ann' } }])
  expect(rowThen).toMatchObject({ owner: 'a', server: 'deploy', method: 'tools/call', requestDigest: digest })
  expect(rowThen).toMatchObject({ state: { kind: 'running' } })
  expect(heldCalls.size).toBe(1)
  const ask = await store.asks.read(tenant, outcome.asks?.one ?? '')
  expect(ask).toMatchObject({
    principal: 'ann',
    asker: { server: 'deploy', tool: 'deploy' },
    callId,
    isWaitUnknown: true,
  })
  expect((ask?.decideByMs ?? 0) - store.nowMs()).toBeGreaterThan(50_000)
})

test('[RELAY-7] a call that ends, or whose state the caller carries, is not stored', async () => {
  const { layer, heldCalls, row } = await openHeld([done, carried])

  expect(await layer.start(call)).toEqual(done)
  expect(await layer.start(call)).toEqual(carried)
  expect(heldCalls.size).toBe(0)
  expect(await row()).toBeUndefined()
})

test('[ROUTE-6] every question of a person gets an ask; requests that no person answers get none', async () => {
  const wanted = { one: form('One?'), two: form('Two?'), roots: { kind: 'roots', params: {} } } as const
  const { layer, ask } = await openHeld([asked(wanted)])

  const { asks = {} } = needingInput(await layer.start(call))

  expect(Object.keys(asks)).toEqual(['one', 'two'])
  expect([await ask(asks.one), await ask(asks.two)]).toMatchObject([{ kind: 'open' }, { kind: 'open' }])
})

test('[ROUTE-1] a question that only the client shows has no ask', async () => {
  const held = await openHeld([asked()])
  const { relay, layer, row } = held
  relay.asking = new OpenAskLimits({
    isEnabled: true,
    askWaitMs: 60_000,
    isClientOnly: (server) => server === 'deploy',
  })

  expect(needingInput(await layer.start(call)).asks).toEqual({})
  expect(await row()).toEqual({ kind: 'running' })
})

test('[RELAY-9] the ask names the tool as its server does', async () => {
  const { store, layer } = await openHeld([asked(undefined, { state: stateOf(callId, { target: 'run' }) })])

  const { asks = {} } = needingInput(await layer.start(callOf({ params: { name: 'deploy__run', arguments: {} } })))

  expect(await store.asks.read(tenant, asks.one ?? '')).toMatchObject({ asker: { tool: 'run' } })
})

test('[RELAY-7] the answers settle the asks, are sent once, and the outcome is stored before it is returned', async () => {
  const { store, layer, heldCalls, answersSent, row, ask } = await openHeld([asked(), { ...done, isStreamed: true }])
  const { asks = {}, state } = needingInput(await layer.start(call))
  const delivered = vi.spyOn(store.calls, 'delivered')
  const answerDelivered = vi.spyOn(store.asks, 'delivered')

  expect(await layer.continue(call, state, yes)).toEqual({ ...done, isStreamed: true })

  expect(await row()).toMatchObject(stored)
  expect(heldCalls.size).toBe(0)
  expect(answersSent()).toEqual([yes])
  expect(await ask(asks.one)).toMatchObject({ kind: 'settled', via: 'client' })
  expect(answerDelivered.mock.calls).toEqual([[tenant, asks.one]])
  await until(async () => ((await row()) as { delivered?: boolean }).delivered || undefined)
  expect(delivered).toHaveBeenCalledTimes(1)
})

test('[RELAY-7] the same retry gets the same outcome and runs nothing', async () => {
  const { layer, answersSent } = await openHeld([asked(), done])
  const { state } = needingInput(await layer.start(call))
  await layer.continue(call, state, yes)

  expect(await layer.continue(call, state, yes)).toEqual(done)
  expect(answersSent()).toHaveLength(1)
})

test('[RELAY-8] another person, and another tenant, get nothing of a finished call', async () => {
  const { layer } = await openHeld([asked(), done])
  const { state } = needingInput(await layer.start(call))
  await layer.continue(call, state, yes)

  expect(await layer.continue(callOf({ principal: 'bob' }), state, yes)).toEqual(lost)
  expect(await layer.continue(callOf({ tenant: 'other' }), state, yes)).toEqual(lost)
})

test('[RELAY-8] an answer in the name of another person does not reach the server', async () => {
  const { layer, answersSent, ask } = await openHeld([asked(), done])
  const { state, asks = {} } = needingInput(await layer.start(call))

  await layer.continue(callOf({ principal: 'bob' }), state, yes)

  expect(answersSent()).toEqual([{}])
  expect(await ask(asks.one)).toMatchObject({ kind: 'open' })
})

test('[RELAY-7] a call that no process knows is reported as lost', async () => {
  const { layer, sent } = await openHeld([])

  expect(await layer.continue(call, stateOf(otherCallId), yes)).toEqual(lost)
  expect(sent).toEqual([])
})

test('[FLEET-3] of two requests at the same moment one continues the call, and both get its outcome', async () => {
  const { promise, resolve } = Promise.withResolvers<Outcome<never>>()
  const { layer, answersSent } = await openHeld([asked(), () => promise])
  const { state } = needingInput(await layer.start(call))

  const both = [layer.continue(call, state, yes), layer.continue(call, state, yes), layer.continue(call, state, {})]
  await pause()
  resolve(done)

  expect(await Promise.all(both)).toEqual([done, done, done])
  expect(answersSent()).toEqual([yes])
})

test('[RELAY-2] a server that asks again gets the answers of each round once', async () => {
  const again = asked({ two: form('Two?') })
  const { layer, heldCalls, answersSent, row, ask } = await openHeld([asked(), again, done])
  const first = needingInput(await layer.start(call))
  const second = needingInput(await layer.continue(call, first.state, yes))

  expect(Object.keys(second.asks ?? {})).toEqual(['one', 'two'])
  expect(second.asks?.one).toBe(first.asks?.one)
  expect(await ask(second.asks?.two)).toMatchObject({ kind: 'open' })
  expect([await row(), heldCalls.size]).toEqual([{ kind: 'running' }, 1])
  const two = { two: { result: { action: 'decline' } } }
  expect(await layer.continue(call, second.state, two)).toEqual(done)
  expect(answersSent()).toEqual([yes, two])
})

test('[RELAY-2] a question that is asked again before it was answered keeps its ask', async () => {
  const { layer } = await openHeld([asked(), asked({ one: form('One?'), two: form('Two?') })])
  const first = needingInput(await layer.start(call))

  const second = needingInput(await layer.continue(call, first.state, {}))

  expect(second.asks).toEqual({ one: first.asks?.one, two: expect.any(String) })
})

test('[RELAY-2] a call whose state the caller carries is continued, and held when its server then waits', async () => {
  const { layer, heldCalls, sent, row } = await openHeld([done, asked()])
  const { state } = carried

  expect(await layer.continue(call, state, yes)).toEqual(done)
  expect(heldCalls.size).toBe(0)
  expect(needingInput(await layer.continue(call, state, yes)).asks).toMatchObject({ one: expect.any(String) })
  expect(sent).toMatchObject([
    { state, given: yes },
    { state, given: yes },
  ])
  expect(await row()).toEqual({ kind: 'running' })
})

test('[VOTE-6] whether a secret may be sent depends on the server', async () => {
  const schema = { type: 'object', properties: { text: { type: 'string' } } }
  const secret = { one: { result: { action: 'accept', content: { text: `ghp_${'a1B2'.repeat(9)}` } } } }
  const refusing = await openHeld([asked({ one: form('Text?', schema) }), done])
  const allowing = await openHeld([asked({ one: form('Text?', schema) }), done])
  const allowsSecrets = (server: string) => server === 'deploy'
  allowing.relay.asking = new OpenAskLimits({ isEnabled: true, askWaitMs: 60_000, allowsSecrets })

  for (const { layer } of [refusing, allowing]) {
    const { state } = needingInput(await layer.start(call))
    await layer.continue(call, state, secret)
  }

  expect(refusing.answersSent()).toMatchObject([{ one: { error: { data: { reason: 'secret-answer' } } } }])
  expect(allowing.answersSent()).toMatchObject([secret])
})

test('[ROUTE-7] an answer for which the server had stopped waiting is marked as undelivered', async () => {
  const { layer, ask } = await openHeld([asked(), { ...done, undelivered: ['one'] }])
  const { state, asks = {} } = needingInput(await layer.start(call))

  await layer.continue(call, state, yes)

  expect(await ask(asks.one)).toMatchObject({ undeliveredAtMs: expect.any(Number) })
})

test('[RELAY-7] an error while the call continues does not block the next request', async () => {
  const { layer, answersSent } = await openHeld([asked(), () => Promise.reject(new Error('A bug.')), done])
  const { state } = needingInput(await layer.start(call))

  await expect(layer.continue(call, state, yes)).rejects.toThrow('A bug.')
  expect(await layer.continue(call, state, yes)).toEqual(done)
  expect(answersSent()).toHaveLength(2)
})

test('[FLEET-12] an outcome that the store cannot take is returned by the retry after the store is back; nothing runs again', async () => {
  const { store, layer, heldCalls, answersSent, row } = await openHeld([asked(), { ...done, isStreamed: true }])
  const withdraw = vi.spyOn(store.asks, 'withdraw')
  const { state } = needingInput(await layer.start(call))
  const finishing = vi.spyOn(store.calls, 'finish').mockImplementation(unavailable)

  await expect(layer.continue(call, state, yes)).rejects.toThrow('unavailable')
  expect(heldCalls.size).toBe(0)
  await expect(layer.continue(call, state, yes)).rejects.toThrow('unavailable')
  finishing.mockRestore()

  expect(await layer.continue(call, state, yes)).toEqual(done)
  expect(await row()).toMatchObject(stored)
  expect(answersSent()).toHaveLength(1)
  expect(withdraw).not.toHaveBeenCalled()
})

test('[RUN-4] a call that other replicas ended while the lease had lapsed is not continued', async () => {
  limited({ renewEveryMs: 0 })
  const { store, layer, heldCalls, answersSent } = await openHeld([asked()])
  const { state } = needingInput(await layer.start(call))
  await endLease(store)

  expect(await layer.continue(call, state, yes)).toEqual(leaseLost)
  expect(heldCalls.size).toBe(0)
  expect(answersSent()).toEqual([])
})

test('[RUN-4] a call is not continued while the lease cannot be renewed', async () => {
  limited({ renewEveryMs: 0 })
  const { store, layer, answersSent, ask } = await openHeld([asked()])
  const { state, asks = {} } = needingInput(await layer.start(call))
  vi.spyOn(store.replicas, 'renew').mockImplementation(unavailable)

  await expect(layer.continue(call, state, yes)).rejects.toThrow('unavailable')
  expect(answersSent()).toEqual([])
  expect(await ask(asks.one)).toMatchObject({ kind: 'open' })
})

test('[RELAY-7] an outcome of a call that was ended meanwhile is not returned', async () => {
  const { store, layer, heldCalls } = await openHeld([
    asked(),
    async () => {
      await store.abandonCall({ tenant, id: callId, owner: 'a', reason: 'owner-lost' })
      return done
    },
  ])
  const { state } = needingInput(await layer.start(call))

  expect(await layer.continue(call, state, yes)).toEqual(leaseLost)
  expect(heldCalls.size).toBe(0)
})

test('[FLEET-4] a retry of a call whose owner was lost gets an error that states this', async () => {
  const { store, layer } = await openHeld([asked()])
  const { state } = needingInput(await layer.start(call))
  await endLease(store)
  const other = await openHeld([], { replica: 'b', store })

  expect(await other.layer.continue(call, state, yes)).toEqual(lost)
  expect(other.sent).toEqual([])
})

test('[FLEET-3] the outcome of a finished call can be fetched again at another replica, and is then delivered', async () => {
  const { store, layer, row } = await openHeld([asked(), done])
  const { state } = needingInput(await layer.start(call))
  const delivering = vi.spyOn(store.calls, 'delivered').mockResolvedValue(true)
  await layer.continue(call, state, yes)
  delivering.mockRestore()
  expect(await row()).toMatchObject({ delivered: false })
  const other = await openHeld([], { replica: 'b', store })

  expect(await other.layer.continue(call, state, yes)).toEqual(done)
  expect(await row()).toMatchObject({ delivered: true })
  // It owns nothing, so it needs no lease.
  expect(await store.replicas.isAlive('b')).toBe(false)
})

test('[FLEET-8] after a refused question the next outcome of the server is held, or returned', async () => {
  const { layer, heldCalls, sent, row } = await openHeld([asked(), failed(0, 'Refused.')])
  const tooMany = new Error('Too many.') as never

  expect(needingInput(await layer.refuse(call, carried.state, tooMany)).asks).toMatchObject({ one: expect.any(String) })
  expect(heldCalls.size).toBe(1)
  expect(await row()).toEqual({ kind: 'running' })
  expect(await layer.refuse(call, carried.state, tooMany)).toMatchObject({ error: { message: 'Refused.' } })
  expect(sent).toMatchObject([{ how: 'refuse' }, { how: 'refuse' }])
})

test('[RUN-9] a repeated request that is cancelled while it waits for the first one does not end the call', async () => {
  const { promise, resolve } = Promise.withResolvers<Outcome<RelayState>>()
  const { layer, heldCalls, cancelled, sent } = await openHeld([asked(), () => promise])
  const { state } = needingInput(await layer.start(call))
  const caller = new AbortController()
  const first = layer.continue(call, state, yes)
  await until(() => (sent.length === 2 ? true : undefined))
  const second = heldCalls.below(digest).continue(callOf({ signal: caller.signal }), state, yes)
  await pause()
  caller.abort()
  resolve(asked({ two: form('Two?') }))

  expect(await first).toMatchObject({ kind: 'input-required' })
  expect(await second).toMatchObject({ kind: 'failed', isUnsent: true })
  expect(cancelled).toEqual([])
  expect(heldCalls.size).toBe(1)
})
