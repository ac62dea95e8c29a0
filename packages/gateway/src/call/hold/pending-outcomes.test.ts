import { expect, test, vi } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { Leases } from './leases.ts'
import { draftOf } from './lost-calls.ts'
import { PendingOutcomes } from './pending-outcomes.ts'
import { callId, done, limited, openReplica, otherCallId, tenant, unavailable } from './sample-calls.suite.ts'

const stored = { kind: 'finished', outcome: JSON.stringify(done) }

async function openPending(calls: readonly string[] = [callId]) {
  const replica = await openReplica()
  const leases = new Leases(replica.store, replica.heartbeat)
  for (const id of calls) await leases.begin(draftOf(callOf(), id, 'deploy', 'digest'), () => undefined)
  return { ...replica, leases, pending: new PendingOutcomes(replica.store, leases, replica.onError) }
}

test('[FLEET-12] an outcome that the store could not take is stored as soon as the store is available again', async () => {
  const { store, pending, errors, row } = await openPending()
  const finishing = vi.spyOn(store.calls, 'finish').mockImplementation(unavailable)

  pending.store(callId, { tenant, outcome: done, asks: [] })
  await until(() => (errors.length > 0 ? true : undefined))
  expect([pending.size, pending.has(callId), pending.has(otherCallId)]).toEqual([1, true, false])
  await expect(pending.settle(callId)).rejects.toThrow('unavailable')
  await expect(pending.settleAll()).rejects.toThrow('unavailable')
  expect(pending.size).toBe(1)
  finishing.mockRestore()
  await pending.settleAll()

  expect([pending.size, pending.has(callId)]).toEqual([0, false])
  expect(await row()).toMatchObject(stored)
})

test('[RELAY-7] an outcome is stored at once while the store is available', async () => {
  const { pending, row, errors } = await openPending()

  pending.store(callId, { tenant, outcome: done, asks: [] })
  await until(() => (pending.size === 0 ? true : undefined))

  expect(await row()).toMatchObject(stored)
  expect(errors).toEqual([])
})

test('[FLEET-12] an added outcome is stored with the next settling, not before', async () => {
  const { pending, row } = await openPending([callId, otherCallId])
  pending.add(callId, { tenant, outcome: done, asks: [] })
  pending.add(otherCallId, { tenant, outcome: done, asks: [] })
  expect(await row()).toEqual({ kind: 'running' })

  await pending.settle(callId)
  expect([await row(), await row(otherCallId)]).toMatchObject([stored, { kind: 'running' }])
  expect(pending.size).toBe(1)
  await pending.settleAll()
  expect(await row(otherCallId)).toMatchObject(stored)
})

test('[FLEET-12] an outcome that always fails does not hold up the others', async () => {
  const { store, pending, row } = await openPending([callId, otherCallId])
  const finish = store.calls.finish.bind(store.calls)
  vi.spyOn(store.calls, 'finish').mockImplementation(async (...outcome) => {
    if (outcome[1] === callId) throw new Error('This row cannot be written.')
    return finish(...outcome)
  })
  pending.add(callId, { tenant, outcome: done, asks: [] })
  pending.add(otherCallId, { tenant, outcome: done, asks: [] })

  await expect(pending.settleAll()).rejects.toThrow('cannot be written')

  expect([pending.has(callId), pending.has(otherCallId)]).toEqual([true, false])
  expect([await row(), await row(otherCallId)]).toMatchObject([{ kind: 'running' }, stored])
})

test('[FLEET-12] a call without a pending outcome is left as it is', async () => {
  const { store, pending, row } = await openPending()
  const finish = vi.spyOn(store.calls, 'finish')

  await pending.settle(callId)

  expect(finish).not.toHaveBeenCalled()
  expect(await row()).toEqual({ kind: 'running' })
})

test('[FLEET-4] the asks of the call are withdrawn with the reason, which is `owner-lost` if none is given', async () => {
  const { pending, raise, ask } = await openPending([callId, otherCallId])
  const [first, second, third] = [await raise('One?'), await raise('Two?'), await raise('Three?')]
  pending.add(callId, { tenant, outcome: done, asks: [first, second], reason: 'store-unavailable' })
  pending.add(otherCallId, { tenant, outcome: done, asks: [third] })

  await pending.settleAll()

  expect([await ask(first), await ask(second), await ask(third)]).toMatchObject([
    { kind: 'withdrawn', reason: 'store-unavailable' },
    { kind: 'withdrawn', reason: 'store-unavailable' },
    { kind: 'withdrawn', reason: 'owner-lost' },
  ])
})

test('[ROUTE-7] an answer that was given just before is marked as undelivered', async () => {
  const { store, pending, raise, answer, ask } = await openPending()
  const [answered, open] = [await raise('One?'), await raise('Two?')]
  await answer(answered)
  const undelivered = vi.spyOn(store.asks, 'undelivered')

  pending.add(callId, { tenant, outcome: done, asks: [answered, open] })
  await pending.settleAll()

  expect(await ask(answered)).toMatchObject({ kind: 'settled', undeliveredAtMs: expect.any(Number) })
  expect(undelivered.mock.calls).toEqual([[tenant, answered, false]])
})

test('[ROUTE-7] an answer that may have arrived stays marked as delivered, and an ask that ended otherwise is not marked', async () => {
  const { store, pending, raise, answer, ask } = await openPending()
  const [arrived, withdrawn] = [await raise('One?'), await raise('Two?')]
  await answer(arrived)
  await store.asks.delivered(tenant, arrived)
  await store.asks.withdraw(tenant, withdrawn, 'caller-gone')
  const undelivered = vi.spyOn(store.asks, 'undelivered')

  pending.add(callId, { tenant, outcome: done, asks: [arrived, withdrawn] })
  await pending.settleAll()

  expect(await ask(arrived)).not.toHaveProperty('undeliveredAtMs')
  expect(await ask(withdrawn)).toMatchObject({ reason: 'caller-gone' })
  expect(undelivered.mock.calls).toEqual([[tenant, arrived, false]])
})

test('[FLEET-12] an ask that does not exist any more does not keep an outcome pending', async () => {
  const { pending, row } = await openPending()
  pending.add(callId, { tenant, outcome: done, asks: ['ask_unknown'] })

  await pending.settleAll()

  expect(pending.size).toBe(0)
  expect(await row()).toMatchObject(stored)
})

test('[FLEET-12] an outcome stays pending until all asks of its call are withdrawn', async () => {
  const { store, pending, raise, ask } = await openPending()
  const id = await raise()
  const withdrawing = vi.spyOn(store.asks, 'withdraw').mockImplementation(unavailable)
  pending.add(callId, { tenant, outcome: done, asks: [id] })

  await expect(pending.settleAll()).rejects.toThrow('unavailable')
  expect(pending.size).toBe(1)
  withdrawing.mockRestore()
  await pending.settleAll()

  expect(await ask(id)).toMatchObject({ kind: 'withdrawn' })
})

test('[FLEET-12] at the limit of pending outcomes, the next call is marked as lost, and none is dropped without an error', async () => {
  limited({ pendingOutcomes: 1 })
  const { pending, leases, errors, row, raise, ask } = await openPending([callId, otherCallId])
  const id = await raise('Two?', undefined, otherCallId)

  pending.add(callId, { tenant, outcome: done, asks: [] })
  expect([leases.size, errors]).toEqual([0, []])
  pending.add(otherCallId, { tenant, outcome: done, asks: [id] })
  expect(pending.has(otherCallId)).toBe(false)
  expect(errors).toMatchObject([{ message: expect.stringContaining('the outcome of one was dropped') }])
  await leases.settle()
  await pending.settleAll()

  expect([await row(), await row(otherCallId)]).toMatchObject([stored, { kind: 'lost' }])
  expect(await ask(id)).toMatchObject({ kind: 'withdrawn', reason: 'store-unavailable' })
})
