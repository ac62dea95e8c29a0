import { randomBytes } from 'node:crypto'
import { AssentError, newId } from '@assent/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import { relayLimits } from '../../limits.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { Leases, withdrawReasonOf } from './leases.ts'
import { draftOf } from './lost-calls.ts'
import { callId, endLease, limited, openReplica, otherCallId, tenant, unavailable } from './sample-calls.suite.ts'

const draft = draftOf(callOf(), callId, 'deploy', 'digest')
const outcome = JSON.stringify({ kind: 'finished', result: {} })
const thirdCallId = newId('call', Date.now(), randomBytes)
const ignore = () => undefined

/** Stops `performance.now` until the test ends; call the result to advance it. */
function fakeClock(): (ms: number) => void {
  let nowMs = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => clock.mockRestore())
  return (ms) => {
    nowMs += ms
  }
}

async function openLeases() {
  const replica = await openReplica()
  return { ...replica, leases: new Leases(replica.store, replica.heartbeat) }
}

test('[FLEET-4] a call is begun under a valid lease, and counts until it is registered as held', async () => {
  const { store, leases, row } = await openLeases()
  const sizes: number[] = []
  const beginning = leases.begin(draft, () => sizes.push(leases.size))
  sizes.push(leases.size)
  await beginning

  expect(sizes).toEqual([1, 1])
  expect(leases.size).toBe(0)
  expect(await store.replicas.isAlive('a')).toBe(true)
  expect(await row()).toEqual({ kind: 'running' })
  expect(await store.calls.read(tenant, callId, 'ann')).toMatchObject({ owner: 'a', requestDigest: 'digest' })
})

test('[FLEET-4] without a lease no call is begun', async () => {
  const { store, leases, row } = await openLeases()
  vi.spyOn(store.replicas, 'renew').mockImplementation(unavailable)
  const onBegun = vi.fn()

  await expect(leases.begin(draft, onBegun)).rejects.toThrow('unavailable')

  expect(onBegun).not.toHaveBeenCalled()
  expect(leases.size).toBe(0)
  expect(await row()).toBeUndefined()
})

test('[FLEET-4] `ensure` renews the lease, and fails while the store is unavailable', async () => {
  const { store, leases } = await openLeases()
  const renewing = vi.spyOn(store.replicas, 'renew').mockImplementation(unavailable)
  await expect(leases.ensure()).rejects.toThrow('unavailable')
  renewing.mockRestore()

  await leases.ensure()

  expect(await store.replicas.isAlive('a')).toBe(true)
})

test('[RELAY-7] a call is finished once, and only by its owner and for its tenant', async () => {
  const { store, leases, row } = await openLeases()
  await leases.begin(draft, ignore)
  const other = await openReplica('b', store)
  const ofOther = new Leases(store, other.heartbeat)

  expect(await ofOther.finish(tenant, callId, outcome).catch(() => false)).toBe(false)
  expect(await leases.finish('other', callId, outcome)).toBe(false)
  expect(await row()).toEqual({ kind: 'running' })
  expect(await leases.finish(tenant, callId, outcome)).toBe(true)
  expect(await leases.finish(tenant, callId, '{"kind":"failed"}')).toBe(false)
  expect(await row()).toMatchObject({ kind: 'finished', outcome })
})

test('[FLEET-4] the lease is renewed before a call is finished', async () => {
  limited({ renewEveryMs: 0 })
  const { store, leases, row } = await openLeases()
  await leases.begin(draft, ignore)
  await store.replicas.end('a')

  expect(await leases.finish(tenant, callId, outcome)).toBe(true)
  expect(await row()).toMatchObject({ kind: 'finished' })
})

test('[RELAY-7] a call that other replicas ended cannot be finished', async () => {
  limited({ renewEveryMs: 0 })
  const { store, leases, row } = await openLeases()
  await leases.begin(draft, ignore)
  await endLease(store)

  expect(await leases.finish(tenant, callId, outcome)).toBe(false)
  expect(await row()).toMatchObject({ kind: 'lost' })
})

test('[FLEET-4] an abandoned call is marked as lost with the next settling, and its asks are withdrawn with the reason', async () => {
  const { leases, raise, row, ask } = await openLeases()
  await leases.begin(draft, ignore)
  const id = await raise('One?', undefined, callId)

  leases.abandon({ tenant, id: callId }, 'store-unavailable')
  expect(leases.size).toBe(1)
  await leases.settle()

  expect(leases.size).toBe(0)
  expect(await row()).toMatchObject({ kind: 'lost' })
  expect(await ask(id)).toMatchObject({ kind: 'withdrawn', reason: 'store-unavailable' })
})

test('[FLEET-4] a replica with an abandoned call uses its lease, so that it is alive when the call is marked', async () => {
  const { leases, heartbeat } = await openLeases()
  const use = vi.spyOn(heartbeat, 'use')

  leases.abandon({ tenant, id: callId }, 'owner-lost')

  expect(use).toHaveBeenCalled()
})

test('[FLEET-12] an abandoned call stays listed until the store has marked it', async () => {
  const { store, leases, row } = await openLeases()
  await leases.begin(draft, ignore)
  const abandoning = vi.spyOn(store, 'abandonCall').mockImplementation(unavailable)
  leases.abandon({ tenant, id: callId }, 'owner-lost')

  await expect(leases.settle()).rejects.toThrow('unavailable')
  expect(leases.size).toBe(1)
  abandoning.mockRestore()
  await leases.settle()

  expect(leases.size).toBe(0)
  expect(await row()).toMatchObject({ kind: 'lost' })
})

test('[STORE-15] a row that arrives after its write was reported as failed is abandoned too', async () => {
  const pass = fakeClock()
  const { store, leases, raise, row, ask } = await openLeases()
  const begin = store.calls.begin.bind(store.calls)
  const beginning = vi.spyOn(store.calls, 'begin').mockImplementation(unavailable)
  const onBegun = vi.fn()
  await expect(leases.begin(draft, onBegun)).rejects.toThrow('unavailable')
  beginning.mockRestore()
  await leases.settle()
  await begin({ ...draft, owner: 'a' })
  const id = await raise('One?', undefined, callId)

  await leases.settle()
  expect(await row()).toEqual({ kind: 'running' })
  expect(leases.size).toBe(1)
  pass(relayLimits.recordSettlesMs)
  await leases.settle()

  expect(onBegun).not.toHaveBeenCalled()
  expect(await row()).toMatchObject({ kind: 'lost' })
  expect(await ask(id)).toMatchObject({ kind: 'withdrawn', reason: 'store-unavailable' })
  expect(leases.size).toBe(0)
})

test('[STORE-15] abandoning such a call again does not shorten the time in which its row may arrive', async () => {
  fakeClock()
  const { store, leases } = await openLeases()
  vi.spyOn(store.calls, 'begin').mockImplementation(unavailable)
  await expect(leases.begin(draft, ignore)).rejects.toThrow('unavailable')

  leases.abandon({ tenant, id: callId }, 'owner-lost')
  await leases.settle()

  expect(leases.size).toBe(1)
})

test('[FLEET-4] an abandoned call that always fails does not hold up the others', async () => {
  const { store, leases } = await openLeases()
  const abandoning = vi.spyOn(store, 'abandonCall').mockRejectedValueOnce(new Error('This row cannot be written.'))
  leases.abandon({ tenant, id: callId }, 'owner-lost')
  leases.abandon({ tenant, id: otherCallId }, 'owner-lost')

  await expect(leases.settle()).rejects.toThrow('cannot be written')

  expect(abandoning.mock.calls.map(([{ id }]) => id)).toEqual([callId, otherCallId])
  expect(leases.size).toBe(1)
})

test('[FLEET-4] a call that is abandoned again while it is being marked is marked once more', async () => {
  const { store, leases } = await openLeases()
  const abandoning = vi.spyOn(store, 'abandonCall').mockImplementationOnce(async () => {
    leases.abandon({ tenant, id: callId }, 'store-unavailable')
  })
  leases.abandon({ tenant, id: callId }, 'owner-lost')
  await leases.settle()

  expect(leases.size).toBe(1)
  await leases.settle()
  expect(abandoning.mock.calls.map(([{ reason }]) => reason)).toEqual(['owner-lost', 'store-unavailable'])
  expect(leases.size).toBe(0)
})

test('[RUN-4] after a lapse, the calls that other replicas ended are returned, and no others', async () => {
  const { store, leases, heartbeat } = await openLeases()
  await leases.begin(draft, ignore)
  await leases.begin({ ...draft, id: otherCallId }, ignore)
  await store.abandonCall({ tenant, id: callId, owner: 'a', reason: 'owner-lost' })
  await heartbeat.ensure()

  expect(await leases.ended([callId, otherCallId], () => true)).toEqual([callId])
  expect(leases.size).toBe(0)
})

test('[RUN-4] a replica with as many abandoned calls as held ones finds those that others ended', async () => {
  const { store, leases } = await openLeases()
  await leases.begin(draft, ignore)
  await store.abandonCall({ tenant, id: callId, owner: 'a', reason: 'owner-lost' })
  leases.abandon({ tenant, id: otherCallId }, 'owner-lost')

  expect(await leases.ended([callId], () => true)).toEqual([callId])
})

test('[RUN-4] a call whose row is still being written is neither dropped nor abandoned', async () => {
  const { store, leases } = await openLeases()
  await leases.begin({ ...draft, id: otherCallId }, ignore)
  const begin = store.calls.begin.bind(store.calls)
  const { promise: canReturn, resolve } = Promise.withResolvers<void>()
  const beginning = vi.spyOn(store.calls, 'begin').mockImplementation(async (call) => {
    if (isWritten) await begin(call)
    await canReturn
  })
  let isWritten = false
  const absent = leases.begin(draft, ignore)
  await until(() => (beginning.mock.calls.length === 1 ? true : undefined))
  expect(await leases.ended([callId, otherCallId], () => true)).toEqual([])
  isWritten = true
  const present = leases.begin({ ...draft, id: thirdCallId }, ignore)
  await until(async () => ((await store.calls.ofOwner('a')).length === 2 ? true : undefined))

  expect(await leases.ended([otherCallId], (id) => id === otherCallId)).toEqual([])
  resolve()
  await Promise.all([absent, present])
  expect(leases.size).toBe(0)
})

test('[RUN-4] a row of this replica that is unknown here is abandoned after a lapse', async () => {
  const { leases, raise, ask, row } = await openLeases()
  await leases.begin(draft, ignore)
  await leases.begin({ ...draft, id: otherCallId }, ignore)
  const id = await raise('One?', undefined, callId)

  expect(await leases.ended([otherCallId], (known) => known === otherCallId)).toEqual([])
  expect(leases.size).toBe(1)
  await leases.settle()

  expect(await row()).toMatchObject({ kind: 'lost' })
  expect(await row(otherCallId)).toEqual({ kind: 'running' })
  expect(await ask(id)).toMatchObject({ reason: 'store-unavailable' })
})

test('[RUN-4] a replica that owns nothing does not read the rows after a lapse; one with abandoned calls does', async () => {
  const { store, leases } = await openLeases()
  const reading = vi.spyOn(store.calls, 'ofOwner')

  expect(await leases.ended([], () => false)).toEqual([])
  expect(reading).not.toHaveBeenCalled()
  leases.abandon({ tenant, id: callId }, 'owner-lost')
  expect(await leases.ended([], () => false)).toEqual([])
  expect(reading).toHaveBeenCalledWith('a')
})

test('[FLEET-4] asks are withdrawn because of the store only if the store was unavailable', () => {
  expect(withdrawReasonOf(new AssentError('store_unavailable', 'Away.'))).toBe('store-unavailable')
  expect(withdrawReasonOf(new AssentError('limit_exceeded', 'Too large.'))).toBe('owner-lost')
  expect(withdrawReasonOf(new Error('A bug.'))).toBe('owner-lost')
})
