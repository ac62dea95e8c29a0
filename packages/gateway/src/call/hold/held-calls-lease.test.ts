// What this replica does with its held calls at shutdown, with each heartbeat, and after its lease had lapsed.

import { expect, test, vi } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { until } from '../../../../../test-kit/until.ts'
import { clusterLimits, setLimits } from '../../limits.ts'
import { callOf, form } from '../route/sample-rounds.suite.ts'
import { leaseLost, lost } from './lost-calls.ts'
import {
  asked,
  callId,
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
const storedAsLost = { kind: 'finished', outcome: JSON.stringify(lost) }

test('[FLEET-6] at shutdown held and attached calls are recorded as ended, and their asks are withdrawn', async () => {
  const { promise: over, resolve: stop } = Promise.withResolvers<void>()
  const { layer, heldCalls, row, ask, sent } = await openHeld([asked(undefined, { over })])
  const { asks = {} } = needingInput(await layer.start(call))
  await heldCalls.inPlace(call).record(stateOf(otherCallId))

  await heldCalls.close()

  expect([await row(), await row(otherCallId)]).toMatchObject([storedAsLost, storedAsLost])
  expect(await ask(asks.one)).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
  expect(heldCalls.size).toBe(0)
  stop()
  await pause()
  expect(sent).toHaveLength(1)
})

test('[FLEET-6] a server that stops waiting during the shutdown gets nothing more', async () => {
  const { promise: over, resolve: stop } = Promise.withResolvers<void>()
  const { store, layer, heldCalls, sent } = await openHeld([asked(undefined, { over })])
  await layer.start(call)
  const finish = store.calls.finish.bind(store.calls)
  vi.spyOn(store.calls, 'finish').mockImplementation(async (...outcome) => {
    stop()
    await pause()
    return finish(...outcome)
  })

  await heldCalls.close()

  expect(sent).toHaveLength(1)
})

test('[FLEET-10] an unavailable store does not block the shutdown, and its errors are reported', async () => {
  const { store, layer, heldCalls, errors } = await openHeld([asked()])
  await layer.start(call)
  for (const _one of Array.from({ length: 20 }))
    await heldCalls.inPlace(call).record(stateOf(undefined, { inner: null }))
  const finish = vi.spyOn(store.calls, 'finish').mockImplementation(() => pause().then(unavailable))

  await heldCalls.close()

  // No statement begins after the first one has failed.
  expect(finish.mock.calls.length).toBeLessThan(10)
  expect(errors).toHaveLength(finish.mock.calls.length)
  for (const error of errors) expect(error).toMatchObject({ code: 'store_unavailable' })
})

test('[FLEET-10] a store that does not respond does not block the shutdown', async () => {
  closeAfterTest(setLimits(clusterLimits, { abortGraceMs: 50 }))
  const { store, layer, heldCalls } = await openHeld([asked()])
  await layer.start(call)
  vi.spyOn(store.calls, 'finish').mockImplementation(() => new Promise(() => undefined))

  await heldCalls.close()

  expect(heldCalls.size).toBe(0)
})

test('[FLEET-6] at shutdown pending outcomes are stored, and an error of one call does not concern the others', async () => {
  const { store, layer, heldCalls, row, errors } = await openHeld([asked(), done])
  const { state } = needingInput(await layer.start(call))
  const finishing = vi.spyOn(store.calls, 'finish').mockImplementation(unavailable)
  await expect(layer.continue(call, state, yes)).rejects.toThrow('unavailable')
  await heldCalls.inPlace(call).record(stateOf(otherCallId))
  finishing.mockRestore()
  const finish = store.calls.finish.bind(store.calls)
  vi.spyOn(store.calls, 'finish').mockImplementation(async (...outcome) => {
    if (outcome[1] === otherCallId) throw new Error('This row cannot be written.')
    return finish(...outcome)
  })

  await heldCalls.close()

  expect(await row()).toMatchObject(stored)
  expect(errors).toMatchObject([{ message: 'This row cannot be written.' }])
})

test('[FLEET-12] outcomes that the store could not take are stored with a heartbeat, while the lease is kept', async () => {
  limited({ renewEveryMs: 20 })
  const { store, layer, row } = await openHeld([asked(), done])
  const { state } = needingInput(await layer.start(call))
  const finishing = vi.spyOn(store.calls, 'finish').mockImplementation(unavailable)
  await expect(layer.continue(call, state, yes)).rejects.toThrow('unavailable')
  expect(await row()).toEqual({ kind: 'running' })
  finishing.mockRestore()

  await until(async () => ((await row())?.kind === 'finished' ? true : undefined), 5_000)
  expect(await row()).toMatchObject(stored)
})

test('[FLEET-4] abandoned rows are marked as lost with a heartbeat', async () => {
  limited({ renewEveryMs: 20 })
  const { heldCalls, row } = await openHeld([])
  const running = heldCalls.inPlace(call)
  await running.record(stateOf())
  running.abandon(new Error('A bug.'))

  await until(async () => ((await row())?.kind === 'lost' ? true : undefined), 5_000)
})

test('[FLEET-12] a row that cannot be marked as lost does not hold up pending outcomes', async () => {
  limited({ renewEveryMs: 20 })
  const { store, layer, heldCalls, row } = await openHeld([asked(), done])
  const { state } = needingInput(await layer.start(call))
  const finishing = vi.spyOn(store.calls, 'finish').mockImplementation(unavailable)
  await expect(layer.continue(call, state, yes)).rejects.toThrow('unavailable')
  vi.spyOn(store, 'abandonCall').mockRejectedValue(new Error('This row cannot be written.'))
  const running = heldCalls.inPlace(call)
  await running.record(stateOf(otherCallId))
  running.abandon(new Error('A bug.'))
  finishing.mockRestore()

  await until(async () => ((await row())?.kind === 'finished' ? true : undefined), 5_000)
})

test('[FLEET-4] the lease is kept while a call is held or attached, and not after the last one ended', async () => {
  limited({ renewEveryMs: 20, recordSettlesMs: 0 })
  for (const how of ['held', 'attached'] as const) {
    const { store, heldCalls, layer } = await openHeld([asked()], { replica: how })
    const renew = vi.spyOn(store.replicas, 'renew')
    const running = heldCalls.inPlace(call)
    if (how === 'held') await layer.start(call)
    else await running.record(stateOf())
    const renewals = renew.mock.calls.length
    await until(() => (renew.mock.calls.length >= renewals + 2 ? true : undefined), 5_000)
    layer.release('caller-gone')
    running.end()
    await pause(60)
    const afterwards = renew.mock.calls.length
    await pause(100)
    expect(renew).toHaveBeenCalledTimes(afterwards)
  }
})

test('[FLEET-4] the lease is kept until an abandoned row is marked as lost', async () => {
  limited({ renewEveryMs: 20, recordSettlesMs: 0 })
  const { store, heldCalls } = await openHeld([])
  const running = heldCalls.inPlace(call)
  await running.record(stateOf())
  const abandoning = vi.spyOn(store, 'abandonCall').mockImplementation(unavailable)
  const renew = vi.spyOn(store.replicas, 'renew')
  running.abandon(new Error('A bug.'))

  await until(() => (renew.mock.calls.length >= 3 ? true : undefined), 5_000)
  abandoning.mockRestore()
})

test('[RUN-4] after a lapse, a row of this replica that it does not know is marked as lost', async () => {
  limited({ renewEveryMs: 20 })
  const { store, heartbeat, layer, row } = await openHeld([asked()])
  await layer.start(call)
  const draft = { tenant, principal: 'ann', server: 'deploy', method: 'tools/call', requestDigest: '', owner: 'a' }
  await store.calls.begin({ ...draft, id: otherCallId })
  await store.replicas.end('a')
  await pause()
  await heartbeat.ensure()

  await until(async () => ((await row(otherCallId))?.kind === 'lost' ? true : undefined), 5_000)
  expect(await row()).toEqual({ kind: 'running' })
})

test('[RUN-4] after a lapse, held and attached calls that others ended are dropped; the others stay', async () => {
  limited({ renewEveryMs: 0 })
  const { store, heartbeat, heldCalls, layer, sent, cancelled } = await openHeld([asked()])
  await layer.start(call)
  const running = heldCalls.inPlace(call)
  await running.record(stateOf(otherCallId))
  await heartbeat.ensure()
  expect(heldCalls.size).toBe(1)
  await endLease(store)

  await heartbeat.ensure()

  expect(heldCalls.size).toBe(0)
  expect(await running.continue(call, stateOf(otherCallId), yes)).toMatchObject({ kind: 'failed' })
  expect(sent).toHaveLength(1)
  expect(cancelled).toMatchObject([{ state: stateOf() }])
})

test('[RUN-4] when the lease ends while answers are settled, and others end the call, its server gets no answer', async () => {
  limited({ renewEveryMs: 0 })
  const { store, layer, sent, ask } = await openHeld([asked()])
  const { state, asks = {} } = needingInput(await layer.start(call))
  const answer = store.asks.answer.bind(store.asks)
  vi.spyOn(store.asks, 'answer').mockImplementationOnce(async (given) => {
    const answered = await answer(given)
    await endLease(store)
    return answered
  })

  expect(await layer.continue(call, state, yes)).toEqual(leaseLost)

  expect(sent).toHaveLength(1)
  expect(await ask(asks.one)).toMatchObject({ kind: 'settled', undeliveredAtMs: expect.any(Number) })
})

test('[RUN-4] after a lapse, a cancellation that fails is reported', async () => {
  limited({ renewEveryMs: 0 })
  const { store, heartbeat, layer, relay, errors } = await openHeld([asked()])
  await layer.start(call)
  await endLease(store)
  vi.spyOn(relay, 'continue').mockRejectedValue(new Error('The server is gone.'))

  await heartbeat.ensure()

  await until(() => (errors.length > 0 ? true : undefined))
  expect(errors).toMatchObject([{ message: 'The server is gone.' }])
})

test.each([
  ['ends', 0, done],
  ['asks again', 1, asked({ two: form('Two?') })],
] as const)(
  '[RUN-4] after a lapse, a call that a request continues, and whose server %s, gets %i cancellations',
  async (_how, cancellations, next) => {
    limited({ renewEveryMs: 0 })
    const { promise, resolve } = Promise.withResolvers<typeof next>()
    const { store, heartbeat, layer, sent, cancelled, heldCalls } = await openHeld([asked(), () => promise])
    const { state } = needingInput(await layer.start(call))
    const continuing = layer.continue(call, state, yes)
    await until(() => (sent.length === 2 ? true : undefined))
    await endLease(store)

    await heartbeat.ensure()
    expect([heldCalls.size, cancelled]).toEqual([0, []])
    resolve(next)

    expect(await continuing).toEqual(leaseLost)
    expect(cancelled).toHaveLength(cancellations)
  },
)

test('[RUN-4] after a lapse, known calls whose rows still run are not abandoned', async () => {
  limited({ renewEveryMs: 20 })
  const { store, layer, heldCalls, heartbeat, row } = await openHeld([
    asked(),
    asked(undefined, { state: stateOf(otherCallId) }),
    done,
  ])
  await layer.start(call)
  await heldCalls.inPlace(call).record(stateOf(undefined, { inner: null }))
  const other = heldCalls.below('')
  const second = needingInput(await other.start(call))
  const finishing = vi.spyOn(store.calls, 'finish').mockImplementation(unavailable)
  await expect(other.continue(call, second.state, yes)).rejects.toThrow('unavailable')
  const abandon = vi.spyOn(store, 'abandonCall')
  await store.replicas.end('a')
  await pause(30)

  await heartbeat.ensure()
  await pause(60)
  finishing.mockRestore()

  expect(abandon).not.toHaveBeenCalled()
  expect(heldCalls.size).toBe(1)
  await until(async () => ((await row(otherCallId))?.kind === 'finished' ? true : undefined), 5_000)
  expect(await row(callId)).toEqual({ kind: 'running' })
})
