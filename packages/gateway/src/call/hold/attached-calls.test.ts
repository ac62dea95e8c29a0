import { AssentError, isId, TooManyOpen } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import { failed } from '../model.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { AttachedCalls } from './attached-calls.ts'
import { Leases } from './leases.ts'
import { leaseLost, lost } from './lost-calls.ts'
import { PendingOutcomes } from './pending-outcomes.ts'
import {
  asked,
  callId,
  done,
  openReplica,
  otherCallId,
  pause,
  type Reply,
  scripted,
  stateOf,
  tenant,
  unavailable,
  yes,
} from './sample-calls.suite.ts'

const carried = stateOf(undefined, { inner: null })
const tooMany = new TooManyOpen('caller', { perCaller: 1, perServer: 1, perTenant: 1, total: 1 }, 'deploy')

async function openAttached(...replies: readonly Reply[]) {
  const replica = await openReplica()
  const server = scripted(...replies)
  const leases = new Leases(replica.store, replica.heartbeat)
  const pending = new PendingOutcomes(replica.store, leases, replica.onError)
  const adopted = new Set<string>()
  const attached = new AttachedCalls(server.relay, leases, pending, (id) => adopted.has(id), replica.onError)
  return { ...replica, ...server, leases, pending, adopted, attached, running: attached.of(callOf()) }
}

test('[FLEET-4] a call is recorded under the id with which its server waits, once', async () => {
  const { store, attached, running, row } = await openAttached()
  const begin = vi.spyOn(store.calls, 'begin')

  expect(await running.record(stateOf())).toBe(callId)
  expect(await running.record(stateOf())).toBe(callId)

  expect(begin).toHaveBeenCalledTimes(1)
  expect(begin.mock.calls[0]?.[0]).toMatchObject({ tenant, principal: 'ann', server: 'deploy', requestDigest: '' })
  expect([attached.ids, attached.has(callId), attached.has(otherCallId)]).toEqual([[callId], true, false])
  expect(await row()).toEqual({ kind: 'running' })
})

test('[FLEET-4] a call without a waiting server is recorded under a new id', async () => {
  const { running, row } = await openAttached()

  const id = await running.record(carried)

  expect(isId(id, 'call')).toBe(true)
  expect(await row(id)).toEqual({ kind: 'running' })
})

test('[FLEET-4] a call that was recorded continues while this replica owns it', async () => {
  const { running, sent } = await openAttached(asked(), done)
  const call = callOf()
  await running.start(call)
  await running.record(stateOf())

  expect(await running.continue(call, stateOf(), yes)).toEqual(done)
  expect(sent).toMatchObject([{ how: 'start' }, { how: 'continue', state: stateOf(), given: yes }])
})

test('[RUN-4] a call that other replicas ended is not continued', async () => {
  const { running, attached, sent } = await openAttached()
  await running.record(stateOf())
  expect(attached.remove(callId)).toBe(true)
  expect(attached.remove(callId)).toBe(false)

  expect(await running.continue(callOf(), stateOf(), yes)).toBe(leaseLost)
  expect(sent).toEqual([])
})

test('[ROUTE-8] a call that a deferred call adopted continues', async () => {
  const { running, attached, adopted } = await openAttached(done)
  await running.record(stateOf())
  attached.remove(callId)
  adopted.add(callId)

  expect(await running.continue(callOf(), stateOf(), yes)).toEqual(done)
})

test('[RELAY-1] a call without a row continues', async () => {
  const { running } = await openAttached(done)

  expect(await running.continue(callOf(), stateOf(), yes)).toEqual(done)
})

test('[FLEET-4] a second question waits until the row of its call is written', async () => {
  const { store, running, row } = await openAttached()
  const begin = store.calls.begin.bind(store.calls)
  vi.spyOn(store.calls, 'begin').mockImplementation(async (draft) => {
    await pause()
    await begin(draft)
  })

  const first = running.record(stateOf())
  expect(await running.record(stateOf())).toBe(callId)

  expect(await row()).toEqual({ kind: 'running' })
  expect(await first).toBe(callId)
})

test('[FLEET-4] if the row could not be written, the next question is recorded under another id', async () => {
  const { store, running, attached, leases, row } = await openAttached()
  const beginning = vi.spyOn(store.calls, 'begin').mockImplementation(unavailable)
  const both = await Promise.allSettled([running.record(stateOf()), running.record(stateOf())])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(beginning).toHaveBeenCalledTimes(1)
  expect(attached.ids).toEqual([])
  expect(leases.size).toBe(1)
  beginning.mockRestore()

  const id = await running.record(stateOf())

  expect(id).not.toBe(callId)
  expect(attached.ids).toEqual([id])
  expect(await running.record(stateOf())).toBe(id)
  await leases.settle()
  expect(await row(id)).toEqual({ kind: 'running' })
})

test('[FLEET-4] a request that fails while its row is written abandons the call', async () => {
  const { running, leases, row } = await openAttached()
  const recording = running.record(stateOf())
  running.abandon(new AssentError('store_unavailable', 'The store is unavailable.'))
  running.abandon(new Error('A bug.'))
  await recording
  expect(leases.size).toBe(1)

  await leases.settle()

  expect(await row()).toMatchObject({ kind: 'lost' })
})

test.each(['end', 'abandon'] as const)(
  '[FLEET-4] a row that is written after the request has ended (%s) does not stay',
  async (how) => {
    const { store, leases, pending, running, row } = await openAttached()
    const begin = store.calls.begin.bind(store.calls)
    const { promise: isWritten, resolve: write } = Promise.withResolvers<void>()
    vi.spyOn(store.calls, 'begin').mockImplementation(async (draft) => {
      await isWritten
      await begin(draft)
    })
    const recording = running.record(stateOf())
    await pause()
    if (how === 'end') running.end()
    else running.abandon(new Error('The request failed.'))
    await until(() => (pending.size === 0 ? true : undefined))
    await leases.settle()
    expect(await row()).toBeUndefined()
    write()
    await recording

    await leases.settle()
    expect(await row()).toMatchObject({ kind: 'lost' })
    expect(leases.size).toBe(0)
  },
)

test.each([false, true])(
  '[FLEET-4] a question that comes after the request has ended is not recorded (recorded before: %s)',
  async (isRecorded) => {
    const { store, running, attached, pending, row } = await openAttached()
    if (isRecorded) await running.record(stateOf())
    running.end()
    await until(() => (pending.size === 0 ? true : undefined))
    const begin = vi.spyOn(store.calls, 'begin')

    await expect(running.record(stateOf())).rejects.toThrow('has ended')

    expect(begin).not.toHaveBeenCalled()
    expect(attached.ids).toEqual([])
    expect((await row())?.kind).toBe(isRecorded ? 'finished' : undefined)
  },
)

test('[FLEET-4] an abandoned call is marked as lost, and its asks are withdrawn', async () => {
  const { running, leases, raise, row, ask } = await openAttached()
  await running.record(stateOf())
  const id = await raise('One?', undefined, callId)

  running.abandon(new Error('A bug.'))
  await leases.settle()

  expect(await row()).toMatchObject({ kind: 'lost' })
  expect(await ask(id)).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
})

test('[FLEET-4] a call without a row has nothing to abandon', async () => {
  const { running, leases } = await openAttached()

  running.abandon(new Error('A bug.'))

  expect(leases.size).toBe(0)
})

test('[RELAY-7] the row of a call that ended is not left running', async () => {
  const { running, attached, pending, row } = await openAttached()
  await running.record(stateOf())

  running.end()
  await until(() => (pending.size === 0 ? true : undefined))

  expect(attached.ids).toEqual([])
  expect(await row()).toMatchObject({ kind: 'finished', outcome: JSON.stringify(lost) })
})

test('[RELAY-7] ending a call twice, or one that was not recorded, stores nothing', async () => {
  const { running, attached, pending } = await openAttached()
  const store = vi.spyOn(pending, 'store')

  attached.of(callOf()).end()
  await running.record(stateOf())
  running.end()
  running.end()

  expect(store.mock.calls).toEqual([[callId, { tenant, outcome: lost, asks: [] }]])
})

test('[RELAY-11] a server that still waits when the request ends gets a cancellation', async () => {
  for (const how of ['start', 'continue', 'refuse'] as const) {
    const { running, cancelled, sent } = await openAttached(asked())
    if (how === 'start') await running.start(callOf())
    if (how === 'continue') await running.continue(callOf(), stateOf(), yes)
    if (how === 'refuse') await running.refuse(callOf(), stateOf(), tooMany)
    running.end()

    expect(sent.map((one) => one.how)).toEqual([how])
    expect(cancelled).toMatchObject([{ state: stateOf() }])
  }
})

test('[RELAY-11] a call that has ended, is carried by its caller, or was adopted gets no cancellation', async () => {
  const ended = await openAttached(asked(), done)
  await ended.running.start(callOf())
  await ended.running.continue(callOf(), stateOf(), yes)
  const { over: _over, ...withState } = asked()
  const carriedOn = await openAttached(withState)
  await carriedOn.running.start(callOf())
  const taken = await openAttached(asked())
  await taken.running.start(callOf())
  taken.adopted.add(callId)

  for (const { running, cancelled } of [ended, carriedOn, taken]) {
    running.end()
    expect(cancelled).toEqual([])
  }
})

test('[RELAY-11] a cancellation that fails is reported', async () => {
  const { running, relay, errors } = await openAttached(asked())
  await running.start(callOf())
  vi.spyOn(relay, 'continue').mockRejectedValue(new Error('The server is gone.'))

  running.end()

  await until(() => (errors.length > 0 ? true : undefined))
  expect(errors).toMatchObject([{ message: 'The server is gone.' }])
})

test('[FLEET-6] the attached calls that are ended at shutdown include those that are recorded meanwhile', async () => {
  const { attached, running } = await openAttached()
  await running.record(stateOf())
  const ended: string[] = []

  for (const [id, of] of attached.all) {
    ended.push(`${of} ${id}`)
    if (id === callId) await attached.of(callOf()).record(stateOf(otherCallId))
  }
  attached.clear()

  expect(ended).toEqual([`${tenant} ${callId}`, `${tenant} ${otherCallId}`])
  expect(attached.ids).toEqual([])
})

test('[FLEET-8] the outcome of a refused question is returned', async () => {
  const refused = failed(0, 'Too many.')
  const { running } = await openAttached(refused)

  expect(await running.refuse(callOf(), stateOf(), tooMany)).toEqual(refused)
})
