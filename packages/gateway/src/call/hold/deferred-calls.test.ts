import { expect, test, vi } from 'vitest'
import type { CallState } from '../call-state.ts'
import type { Call, NeedsInput } from '../model.ts'
import { callOf, form, stateOf as routedState } from '../route/sample-rounds.suite.ts'
import { asked, callId, digest, done, limited, tenant, unavailable } from './sample-calls.suite.ts'
import { detailsOf, openDeferred, textOf } from './sample-deferred.suite.ts'

const call = callOf()
const large = { ...call, params: { name: 'deploy', arguments: { text: 'x'.repeat(400_000) } } }

test('[ROUTE-8] a deferred call returns a handle, and its state is stored sealed for its own caller', async () => {
  const { store, deferred, waiting, ask } = await openDeferred([])
  const { outcome, askId } = await waiting()

  const pending = await deferred.defer(call, outcome, digest)

  const decideBy = (await store.asks.read(tenant, askId))?.decideByMs ?? 0
  const expiresAt = new Date(decideBy).toISOString()
  expect(pending).toMatchObject({ kind: 'finished', result: { isError: true } })
  expect(detailsOf(pending)).toMatchObject({ status: 'pending', askId, expiresAt })
  expect(await ask(askId)).toMatchObject({ kind: 'open' })
  const stored = await store.deferred.read(tenant, askId, 'ann')
  expect(stored).toEqual({ kind: 'waiting', state: expect.any(String) })
  expect(JSON.stringify(stored)).not.toContain('prod')
  expect(await store.deferred.read(tenant, askId, 'bob')).toBeUndefined()
  expect(await store.deferred.read('other', askId, 'ann')).toBeUndefined()
})

test('[ROUTE-8] the result links to the ask, if the address of the inbox is known', async () => {
  for (const inboxUrl of ['https://inbox.example', () => 'https://inbox.example', () => undefined]) {
    const { deferred, waiting } = await openDeferred([], { inboxUrl })
    const { outcome, askId } = await waiting()

    const pending = await deferred.defer(call, outcome, digest)

    const address = typeof inboxUrl === 'function' ? inboxUrl() : inboxUrl
    expect(detailsOf(pending).askUrl).toBe(address && `${address}/asks/${askId}`)
    expect('askUrl' in detailsOf(pending)).toBe(address !== undefined)
  }
})

test('[ROUTE-8] a request that is not a tool call gets the handle in an error', async () => {
  const { deferred, waiting } = await openDeferred([])
  const { outcome, askId } = await waiting()

  const pending = await deferred.defer(callOf({ method: 'prompts/get' }), outcome, digest)

  expect(pending).toMatchObject({
    kind: 'failed',
    error: { message: expect.stringContaining(askId), data: { status: 'pending', askId } },
  })
})

test('[ROUTE-8] the handle is returned even if the store fails after the call was stored', async () => {
  const { store, deferred, waiting, errors } = await openDeferred([])
  const { outcome, askId } = await waiting()
  vi.spyOn(store.asks, 'read').mockImplementation(unavailable)
  const before = store.nowMs()

  const { askId: returned, expiresAt } = detailsOf(await deferred.defer(call, outcome, digest))

  expect(returned).toBe(askId)
  expect(Date.parse(String(expiresAt)) - before).toBeGreaterThanOrEqual(59_999)
  expect(Date.parse(String(expiresAt)) - before).toBeLessThan(70_000)
  expect(errors).toMatchObject([{ code: 'store_unavailable' }])
})

test('[ROUTE-8] without a stored state there is no handle, and the call is not held', async () => {
  const { store, deferred, waiting, heldCalls } = await openDeferred([])
  const { outcome } = await waiting({ inner: { held: callId } })
  vi.spyOn(store.deferred, 'keep').mockImplementation(unavailable)

  await expect(deferred.defer(call, outcome, digest)).rejects.toThrow('unavailable')
  expect(heldCalls.size).toBe(0)
})

test('[ROUTE-8] a server that waits inside a deferred call keeps waiting, and the asks outlive the request', async () => {
  const { deferred, waiting, heldCalls, row } = await openDeferred([])
  const { outcome, askId } = await waiting({ inner: { held: callId } })
  const handOutAsHandle = vi.fn(async () => undefined)
  const requestAsks = { handOutAsHandle } as unknown as NonNullable<Call['waiting']>

  await deferred.defer(callOf({ waiting: requestAsks }), outcome, digest)

  expect(heldCalls.size).toBe(1)
  expect(await row()).toEqual({ kind: 'running' })
  expect(handOutAsHandle.mock.calls).toEqual([[[askId]]])
})

test('[ROUTE-8] the result can be fetched for a day after the last deadline', async () => {
  limited({ deferredExtraMs: 1_000 })
  const { store, deferred, waiting } = await openDeferred([])
  vi.spyOn(store, 'nowMs').mockReturnValue(1_000)
  const keep = vi.spyOn(store.deferred, 'keep').mockResolvedValue(true)
  for (const untilMs of [undefined, 31_000, 101_000.5]) {
    const { outcome } = await waiting(untilMs === undefined ? {} : { untilMs })
    await deferred.keep(call, outcome, digest)
  }

  expect(keep.mock.calls.map(([{ keepMs }]) => keepMs)).toEqual([61_000, 61_000, 101_001])
})

test('[ROUTE-8] only a call that waits for the inbox can be deferred', async () => {
  const { deferred } = await openDeferred([])
  const atClient = routedState({ one: form('One?') })
  const { wanted: _wanted, ...notRouted } = atClient

  for (const state of [atClient, notRouted] as const) {
    const outcome: NeedsInput<CallState> = { kind: 'input-required', wanted: {}, state }
    await expect(deferred.keep(call, outcome, digest)).rejects.toThrow('waits for the inbox')
  }
})

test('[LIMIT-6] a call that is too large to store is not deferred, and `keep` changes nothing', async () => {
  const { store, deferred, waiting, ask } = await openDeferred([])
  const { outcome, askId } = await waiting()

  expect(await deferred.keep(large, outcome, digest)).toBeUndefined()

  expect(await ask(askId)).toMatchObject({ kind: 'open' })
  expect(await store.deferred.read(tenant, askId, 'ann')).toBeUndefined()
})

test('[LIMIT-6] the asks of a call that is too large are withdrawn, and an answer that was given is undelivered', async () => {
  const { store, deferred, waiting, raise, answer, ask } = await openDeferred([])
  const [answered, withdrawn] = [await raise('Two?'), await raise('Three?')]
  const { outcome, askId } = await waiting({}, { two: answered, three: withdrawn, four: 'ask_unknown' })
  await answer(answered)
  await store.asks.withdraw(tenant, withdrawn, 'asker-stopped')
  const undelivered = vi.spyOn(store.asks, 'undelivered')

  const failure = await deferred.defer(large, outcome, digest)

  expect(failure).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining('too large') } })
  expect(await ask(askId)).toMatchObject({ kind: 'withdrawn', reason: 'caller-gone' })
  expect(await ask(answered)).toMatchObject({ undeliveredAtMs: expect.any(Number) })
  expect(undelivered.mock.calls).toEqual([[tenant, answered, false]])
})

test('[LIMIT-6] a held call that is too large to store is cancelled at its server', async () => {
  const { deferred, waiting, heldCalls, layer, cancelled, row } = await openDeferred([asked()])
  await layer.start(call)
  const { outcome } = await waiting({ inner: { held: callId } })

  expect(await deferred.defer(large, outcome, digest)).toMatchObject({ kind: 'failed' })

  expect(cancelled).toHaveLength(1)
  expect(heldCalls.size).toBe(0)
  expect(await row()).toMatchObject({ kind: 'finished' })
})

test('[ROUTE-5] a caller that retried often enough gets a handle, and no other caller', async () => {
  limited({ waitsMost: 3 })
  const { deferred, waiting } = await openDeferred([])
  const often = (await waiting({ waits: 4 })).outcome
  const seldom = (await waiting({ waits: 3 })).outcome
  const atClient = { ...often, state: routedState({ one: form('One?') }, { waits: 4 }) }
  const { wanted: _wanted, ...relayState } = atClient.state
  const notRouted = { ...often, state: relayState }

  for (const outcome of [seldom, atClient, notRouted, done])
    expect(await deferred.deferIfLong(call, outcome, digest)).toBe(outcome)
  expect(detailsOf(await deferred.deferIfLong(call, often, digest))).toMatchObject({ status: 'pending' })
})

test('[ROUTE-5] without an inbox nothing is deferred', async () => {
  limited({ waitsMost: 3 })
  const { deferred, waiting } = await openDeferred([], { surfaces: ['client'] })
  const { outcome } = await waiting({ waits: 4 })

  expect(await deferred.deferIfLong(call, outcome, digest)).toBe(outcome)
})

test('[ROUTE-9] an unknown handle, and that of another person or tenant, finds nothing', async () => {
  const { deferred, fetch, waiting, sent, answer } = await openDeferred([])
  const { outcome, askId } = await waiting()
  await deferred.defer(call, outcome, digest)
  await answer(askId)

  const requests = [
    fetch('ask_unknown'),
    fetch(''),
    fetch(askId, callOf({ principal: 'bob' })),
    fetch(askId, callOf({ tenant: 'other' })),
  ]
  for (const found of await Promise.all(requests)) expect(textOf(found)).toContain('Unknown ask_id')
  expect(sent).toEqual([])
})
