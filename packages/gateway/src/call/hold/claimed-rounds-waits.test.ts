// How requests wait for a claimed round, and what is stored when the store or the process fails.

import { randomBytes } from 'node:crypto'
import { createKeyRing, type JsonObject, requestDigest } from '@assent/core'
import type { RoundKey, Store } from '@assent/store'
import { expect, test, vi } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { until } from '../../../../../test-kit/until.ts'
import { Heartbeat } from '../../cluster/heartbeat.ts'
import { unsent } from '../model.ts'
import type { RoundResult } from '../route/send-answers.ts'
import { sealState } from '../seal-state.ts'
import { ClaimedRounds } from './claimed-rounds.ts'
import { limited, openStore } from './sample-calls.suite.ts'

const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
const name: RoundKey = { tenant: 'default', id: 'round 1', principal: 'ann' }
const longWait = { forMs: 60_000, signal: new AbortController().signal }

function aReplica(store: Store, replica: string, errors: unknown[] = []) {
  const heartbeat = new Heartbeat(store, replica, (error) => errors.push(error))
  closeAfterTest(() => heartbeat.close())
  return new ClaimedRounds(store, heartbeat, keys, { askWaitMs: 60_000 }, (error) => errors.push(error))
}

function finished(run: number): RoundResult {
  return { kind: 'finished', result: { run } }
}

/** Sends a round and counts how often. */
function counting(outcome: (run: number) => RoundResult | Promise<RoundResult> = finished) {
  const counted = { runs: 0, send: async () => outcome(++counted.runs) }
  return counted
}

test('[RUN-5] a replica counts the rounds that it runs, until their outcome is stored', async () => {
  const store = await openStore()
  const replica = aReplica(store, 'a')
  const { promise, resolve } = Promise.withResolvers<RoundResult>()
  const running = replica.run(name, longWait, () => promise)
  expect(replica.size).toBe(1)
  expect(await replica.find(name, { ...longWait, forMs: 20 })).toBe('running')

  resolve(finished(1))
  await running

  expect(replica.size).toBe(0)
  expect(await replica.find(name, { ...longWait, forMs: 20 })).toEqual(finished(1))
})

test('[RUN-5] a request that is dropped stops waiting for the owner, here and at another replica', async () => {
  const store = await openStore()
  const [a, b] = [aReplica(store, 'a'), aReplica(store, 'b')]
  const { promise, resolve } = Promise.withResolvers<RoundResult>()
  const round = counting(() => promise)
  const running = a.run(name, longWait, round.send)
  await until(() => (round.runs === 1 ? true : undefined))
  const dropped = new AbortController()
  const waiting = [a, b].map((replica) => replica.run(name, { forMs: 60_000, signal: dropped.signal }, round.send))
  await new Promise((tick) => setTimeout(tick, 20))
  dropped.abort()

  expect(await Promise.all(waiting)).toEqual(['running', 'running'])
  expect(await b.run(name, { forMs: 60_000, signal: dropped.signal }, round.send)).toBe('running')
  resolve(finished(1))
  await running
  expect(round.runs).toBe(1)
})

test('[RUN-5] a request at another replica gets the outcome as soon as it is stored', async () => {
  limited({ claimedLookMs: 5, claimedLookMostMs: 10 })
  const store = await openStore()
  const [a, b] = [aReplica(store, 'a'), aReplica(store, 'b')]
  const { promise, resolve } = Promise.withResolvers<RoundResult>()
  const round = counting(() => promise)
  const running = a.run(name, longWait, round.send)
  await until(() => (round.runs === 1 ? true : undefined))
  const read = vi.spyOn(store.rounds, 'read')
  const waiting = b.run(name, longWait, round.send)
  await until(() => (read.mock.calls.length > 5 ? true : undefined))
  resolve(finished(1))

  expect(await Promise.all([running, waiting])).toEqual([finished(1), finished(1)])
})

test('[RUN-7] a waiting request sends the round itself when the owner released its claim', async () => {
  limited({ claimedLookMs: 5 })
  const store = await openStore()
  const [a, b] = [aReplica(store, 'a'), aReplica(store, 'b')]
  const { promise, resolve } = Promise.withResolvers<RoundResult>()
  let runs = 0
  const owner = a.run(name, longWait, () => promise)
  await until(async () => ((await store.rounds.read(name)) === undefined ? undefined : true))
  const waiting = b.run(name, longWait, async () => finished(++runs))
  await new Promise((tick) => setTimeout(tick, 20))
  resolve(unsent(-32_000, 'Connection refused.'))

  expect(await owner).toMatchObject({ isUnsent: true })
  expect(await waiting).toEqual(finished(1))
})

test('[RUN-7] a request whose time is up does not claim a released round', async () => {
  const store = await openStore()
  const round = counting()
  vi.spyOn(store.rounds, 'claim').mockResolvedValue(false)

  expect(await aReplica(store, 'a').run(name, { ...longWait, forMs: 0 }, round.send)).toBe('running')
  expect(round.runs).toBe(0)
})

test('[RUN-3] a claim is kept as long as any state or handle of its round is valid', async () => {
  limited({ deferredExtraMs: 5, resumableWaitMs: 70_000 })
  const store = await openStore()
  const claim = vi.spyOn(store.rounds, 'claim')

  await aReplica(store, 'a').run(name, longWait, counting().send)

  expect(claim.mock.calls).toEqual([[name, 'a', 70_005]])
})

test('[RUN-8] the lease is held while a round runs, and not after it', async () => {
  const store = await openStore()
  const heartbeat = new Heartbeat(store, 'a', () => undefined)
  closeAfterTest(() => heartbeat.close())
  const rounds = new ClaimedRounds(store, heartbeat, keys, { askWaitMs: 60_000 }, () => undefined)
  const released = vi.fn()
  const hold = vi.spyOn(heartbeat, 'hold').mockReturnValue(released)
  const steps: unknown[] = []

  await rounds.run(name, longWait, async () => {
    steps.push(hold.mock.calls.length, released.mock.calls.length, await store.replicas.isAlive('a'))
    return finished(1)
  })

  expect(steps).toEqual([1, 0, true])
  expect(released).toHaveBeenCalledTimes(1)
})

test('[RUN-8] if neither the round nor the storing of its outcome succeeds, both errors are reported', async () => {
  const store = await openStore()
  const errors: unknown[] = []
  const replica = aReplica(store, 'a', errors)
  vi.spyOn(store.rounds, 'finish').mockRejectedValue(new Error('The store is unavailable.'))

  await expect(replica.run(name, longWait, () => Promise.reject(new Error('A bug.')))).rejects.toThrow('A bug.')

  expect(errors).toMatchObject([{ message: 'The store is unavailable.' }])
})

test('[RUN-12] pending outcomes and releases are stored with a heartbeat, under a valid lease', async () => {
  limited({ renewEveryMs: 20 })
  const store = await openStore()
  const replica = aReplica(store, 'a')
  const other = { ...name, id: 'round 2' }
  const [finishing, releasing] = [vi.spyOn(store.rounds, 'finish'), vi.spyOn(store.rounds, 'release')]
  for (const failing of [finishing, releasing]) failing.mockRejectedValue(new Error('The store is unavailable.'))
  await expect(replica.run(name, longWait, counting().send)).rejects.toThrow('unavailable')
  await expect(replica.run(other, longWait, async () => unsent(0, 'Refused.'))).rejects.toThrow('unavailable')
  await store.replicas.end('a')
  let wasAlive = false
  finishing.mockImplementationOnce(async () => {
    wasAlive = await store.replicas.isAlive('a')
    throw new Error('The store is unavailable.')
  })
  await until(() => (wasAlive ? true : undefined), 5_000)
  for (const failing of [finishing, releasing]) failing.mockRestore()

  await until(async () => ((await store.rounds.read(name))?.kind === 'finished' ? true : undefined), 5_000)
  await until(async () => ((await store.rounds.read(other)) === undefined ? true : undefined), 5_000)
})

test('[RUN-12] a reader gets a pending outcome of this replica after it is stored, not before', async () => {
  const store = await openStore()
  const replica = aReplica(store, 'a')
  const finishing = vi.spyOn(store.rounds, 'finish').mockRejectedValue(new Error('The store is unavailable.'))
  await expect(replica.run(name, longWait, counting().send)).rejects.toThrow('unavailable')
  await expect(replica.find(name, { ...longWait, forMs: 20 })).rejects.toThrow('unavailable')
  finishing.mockRestore()

  expect(await replica.find(name, { ...longWait, forMs: 20 })).toEqual(finished(1))
})

test('[FLEET-6] at shutdown running rounds may end, and pending outcomes are stored', async () => {
  const store = await openStore()
  const errors: unknown[] = []
  const replica = aReplica(store, 'a', errors)
  const { promise, resolve } = Promise.withResolvers<RoundResult>()
  const running = replica.run(name, longWait, () => promise)
  await until(async () => ((await store.rounds.read(name)) === undefined ? undefined : true))
  const finishing = vi.spyOn(store.rounds, 'finish').mockRejectedValueOnce(new Error('The store is unavailable.'))
  setTimeout(resolve, 30, finished(1))

  const [ended] = await Promise.allSettled([running, replica.close()])

  expect(ended.status).toBe('rejected')
  expect(finishing).toHaveBeenCalledTimes(2)
  expect(await store.rounds.read(name)).toMatchObject({ kind: 'finished' })
  finishing.mockRejectedValue(new Error('The store is still unavailable.'))
  await expect(replica.run({ ...name, id: 'round 2' }, longWait, counting().send)).rejects.toThrow('unavailable')
  await replica.close()
  expect(errors).toMatchObject([{ message: 'The store is still unavailable.' }])
})

test('[RUN-10] an outcome over the size limit is returned once; a retry gets an error and sends nothing', async () => {
  const store = await openStore()
  const replica = aReplica(store, 'a')
  limited({ roundOutcomeChars: JSON.stringify(finished(1)).length })
  const round = counting()
  await replica.run(name, longWait, round.send)
  expect(await replica.run(name, longWait, round.send)).toEqual(finished(1))
  limited({ roundOutcomeChars: JSON.stringify(finished(1)).length - 1 })
  const other = { ...name, id: 'round 2' }

  expect(await replica.run(other, longWait, round.send)).toEqual(finished(2))
  const again = await replica.run(other, longWait, round.send)

  expect(again).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining('too large to store') } })
  expect(round.runs).toBe(2)
})

test('[RUN-17] a stored state of another person or tenant, or without its questions, is rejected', async () => {
  const store = await openStore()
  const replica = aReplica(store, 'a')
  const relayState = { server: 'deploy', inner: {}, schemas: {}, isPrefixed: false }
  const routed = { ...relayState, wanted: {}, onRecord: {}, inInbox: {}, copies: {}, kept: {}, waits: 0 }
  const stored = async (id: string, state: JsonObject, principal = 'ann', purpose = 'claimed default') => {
    const digestOf = requestDigest({ method: 'claimed', target: id, arguments: {} })
    const binding = { principal, purpose, requestDigest: digestOf, ttlMs: 60_000 }
    await store.rounds.claim({ ...name, id }, 'b', 60_000)
    await store.rounds.finish({ ...name, id }, 'b', `p${sealState({ keys, store }, binding, state)}`)
    return replica.find({ ...name, id }, longWait)
  }
  const unreadable = { kind: 'failed', error: { message: expect.stringContaining('cannot be read') } }

  expect(await stored('1', routed)).toEqual(routed)
  expect(await stored('2', relayState)).toMatchObject(unreadable)
  expect(await stored('3', routed, 'bob')).toMatchObject(unreadable)
  expect(await stored('4', routed, 'ann', 'claimed other')).toMatchObject(unreadable)
})
