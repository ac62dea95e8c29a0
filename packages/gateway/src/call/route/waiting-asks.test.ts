import { expect, test, vi } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { Heartbeat } from '../../cluster/heartbeat.ts'
import type { Call } from '../model.ts'
import { raiseAsk } from './inbox-asks.ts'
import { callOf, form, openRounds, shortGrace } from './sample-rounds.suite.ts'
import { type Lifeline, WaitingAsks } from './waiting-asks.ts'

const tenant = 'default'

/** Requests whose asks name the replica `here`. */
async function replica() {
  const rounds = await openRounds()
  const heartbeat = new Heartbeat(rounds.store, 'here', rounds.onError)
  closeAfterTest(() => heartbeat.close())
  const beats: (() => Promise<void>)[] = []
  vi.spyOn(heartbeat, 'onBeat').mockImplementation((task) => void beats.push(task))
  let held = 0
  vi.spyOn(heartbeat, 'hold').mockImplementation(() => {
    held += 1
    let isHeld = true
    return () => {
      if (isHeld) held -= 1
      isHeld = false
    }
  })
  const waiting = new WaitingAsks(rounds.store, heartbeat, rounds.onError)
  const request = (lifeline: Lifeline = { kind: 'none' }) => waiting.of(tenant, lifeline)
  const raise = async (asks: Call['waiting'], callId?: string) => {
    const raising = { server: 'deploy', waitMs: 60_000, ...(callId === undefined ? {} : { callId }) }
    const call = callOf(asks === undefined ? {} : { waiting: asks })
    return (await raiseAsk(rounds.store, call, form('One?'), raising)) ?? ''
  }
  const beat = async () => {
    for (const task of beats) await task()
  }
  return {
    ...rounds,
    heartbeat,
    waiting,
    request,
    raise,
    beat,
    held: () => held,
    state: async (id: string) => (await rounds.read(id))?.state,
  }
}

test('[RUN-13] an ask that was not handed out ends with its replica', async () => {
  const { raise, request, waiting, state } = await replica()
  const id = await raise(request())

  await waiting.close('owner-lost')

  expect(await state(id)).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
})

test('[RUN-13] a replica whose asks it never named withdraws nothing when it closes', async () => {
  const { store, waiting } = await replica()
  const withdrawing = vi.spyOn(store.asks, 'withdrawOfReplica')

  await waiting.close('owner-lost')

  expect(withdrawing).not.toHaveBeenCalled()
})

test('[RUN-13] closing withdraws batch after batch, until none is left', async () => {
  const { store, waiting, request, raise } = await replica()
  await raise(request())
  const withdrawing = vi.spyOn(store.asks, 'withdrawOfReplica').mockResolvedValueOnce(7).mockResolvedValueOnce(2)

  await waiting.close('owner-lost')

  expect(withdrawing.mock.calls).toEqual(Array(4).fill(['here', 'owner-lost']))
})

test('[RUN-13] an ask that was handed out with a state survives the end of the replica', async () => {
  const { raise, request, waiting, state } = await replica()
  const asks = request()
  const id = await raise(asks)

  await asks.handOut()
  await asks.withdraw('call-cancelled')
  await waiting.close('owner-lost')

  expect(await state(id)).toMatchObject({ kind: 'open' })
})

test('[RUN-13] the lease is held from the first ask of a request to its end, once', async () => {
  const { raise, request, held, heartbeat } = await replica()
  const ensured = vi.spyOn(heartbeat, 'ensure')
  const asks = request()
  expect(held()).toBe(0)

  await raise(asks)
  await raise(asks)
  expect([held(), ensured.mock.calls.length]).toEqual([1, 1])
  asks.end()
  expect(held()).toBe(0)
  // A request without asks has nothing to release.
  request().end()
  expect(held()).toBe(0)
})

test('[FLEET-10] if the lease cannot be renewed, no ask is raised and the lease is not held', async () => {
  const { raise, request, held, heartbeat, open } = await replica()
  vi.spyOn(heartbeat, 'ensure').mockRejectedValue(new Error('The store is down.'))

  await expect(raise(request())).rejects.toThrow('The store is down.')

  expect(held()).toBe(0)
  expect(await open()).toEqual([])
})

test('[RUN-1] a dropped request withdraws its open asks and no others', async () => {
  const { raise, request, state } = await replica()
  const asks = request()
  const [open, ended, other] = [await raise(asks), await raise(asks), await raise(request())]
  asks.ended([ended])

  await asks.withdraw('call-cancelled')

  expect(await state(open)).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
  expect([await state(ended), await state(other)]).toMatchObject([{ kind: 'open' }, { kind: 'open' }])
})

test('[RUN-1] each ask is withdrawn once, and a store that fails or hangs is reported', async () => {
  const { raise, request, store, errors } = await replica()
  const asks = request()
  await raise(asks)
  await raise(asks)
  shortGrace()
  const withdrawing = vi
    .spyOn(store.asks, 'withdraw')
    .mockRejectedValueOnce(new Error('The store is down.'))
    .mockReturnValue(new Promise(() => undefined))

  await asks.withdraw('call-cancelled')
  await asks.withdraw('call-cancelled')

  expect(withdrawing).toHaveBeenCalledTimes(2)
  expect(errors).toEqual([new Error('The store is down.'), expect.objectContaining({ code: 'store_unavailable' })])
})

test('[RUN-13] the ask of a held call names no replica: it ends with the call', async () => {
  const { request, held } = await replica()

  expect(await request().replicaFor('call_1')).toBeUndefined()
  expect(held()).toBe(0)
  expect(await request().replicaFor(undefined)).toBe('here')
})

test('[RUN-15] over stdio every ask names the replica until it ends, also one of a held call', async () => {
  const { request, raise, waiting, state, held } = await replica()
  const asks = request({ kind: 'process' })
  expect(await asks.replicaFor('call_1')).toBe('here')
  const id = await raise(asks)

  await asks.handOut()
  await asks.handOutAsHandle([id])
  await asks.withdraw('call-cancelled')
  asks.end()

  expect(await state(id)).toMatchObject({ kind: 'open' })
  expect(held()).toBe(1)
  await waiting.close('owner-lost')
  expect(await state(id)).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
})

test('[RUN-15] only over stdio are asks tracked that are raised after the reply', async () => {
  const { request, raise, waiting, state } = await replica()
  expect(request().afterwards).toBeUndefined()
  expect(request({ kind: 'session', id: 'session_1' }).afterwards).toBeUndefined()

  const id = await raise(request({ kind: 'process' }).afterwards)
  await waiting.close('owner-lost')

  expect(await state(id)).toMatchObject({ kind: 'withdrawn' })
})

test('[RUN-14] an ask that was handed out as the handle of a session ends with the session', async () => {
  const { request, raise, store, waiting, state } = await replica()
  const handingOut = vi.spyOn(store.asks, 'handOut')
  const asks = request({ kind: 'session', id: 'session_1' })
  const [one, two] = [await raise(asks), await raise(asks)]

  await asks.handOutAsHandle([one])
  await asks.withdraw('call-cancelled')

  expect(handingOut.mock.calls).toEqual([[tenant, one, 'session_1']])
  expect(await state(one)).toMatchObject({ kind: 'open' })
  expect(await state(two)).toMatchObject({ kind: 'open' })
  await store.asks.withdrawOfGoneSessions()
  expect(await state(one)).toMatchObject({ kind: 'withdrawn' })
  await waiting.close('owner-lost')
  expect(await state(two)).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
})

test('[RUN-13] a handle outside a session is handed out for all asks of its request', async () => {
  const { request, raise, store } = await replica()
  const handingOut = vi.spyOn(store.asks, 'handOut')
  const asks = request()
  const ids = [await raise(asks), await raise(asks)]

  await asks.handOutAsHandle([])
  await asks.handOut()

  expect(handingOut.mock.calls).toEqual(ids.map((id) => [tenant, id, undefined]))
})

test('[RUN-13] if the store is unavailable, the ask is handed out with a later beat; until then the lease is held', async () => {
  const { request, raise, store, state, errors, held, beat, waiting } = await replica()
  const handingOut = vi.spyOn(store.asks, 'handOut')
  const asks = request()
  const ids = [await raise(asks), await raise(asks)]
  handingOut.mockRejectedValueOnce(new Error('The store is down.')).mockReturnValueOnce(new Promise(() => undefined))

  const endShortGrace = shortGrace()
  await asks.handOut()
  endShortGrace()
  asks.end()
  expect(errors).toEqual([new Error('The store is down.'), expect.objectContaining({ code: 'store_unavailable' })])
  expect(held()).toBe(1)

  handingOut.mockRejectedValueOnce(new Error('The store is still down.'))
  await expect(beat()).rejects.toThrow('still down')
  expect(held()).toBe(1)
  await beat()
  expect(held()).toBe(0)
  handingOut.mockClear()
  await beat()
  expect(handingOut).not.toHaveBeenCalled()

  await waiting.close('owner-lost')
  expect(await Promise.all(ids.map(state))).toMatchObject([{ kind: 'open' }, { kind: 'open' }])
})

test('[RUN-13] an ask that always fails to be handed out does not hold up the others', async () => {
  const { request, raise, store, held, beat } = await replica()
  const handingOut = vi.spyOn(store.asks, 'handOut').mockRejectedValue(new Error('The store is down.'))
  const asks = request()
  const ids = [await raise(asks), await raise(asks)]
  await asks.handOut()
  asks.end()
  handingOut.mockReset().mockImplementation(async (_tenant, id) => {
    if (id === ids[0]) throw new Error('This row cannot be written.')
  })

  await expect(beat()).rejects.toThrow('cannot be written')
  await expect(beat()).rejects.toThrow('cannot be written')

  expect(handingOut.mock.calls.map(([, id]) => id)).toEqual([ids[0], ids[1], ids[0]])
  expect(held()).toBe(1)
})

test('[RUN-13] the lease is held again for an ask that is handed out late the next time', async () => {
  const { request, raise, store, held, beat } = await replica()
  const handingOut = vi.spyOn(store.asks, 'handOut')
  for (let outage = 0; outage < 2; outage++) {
    const asks = request()
    await raise(asks)
    handingOut.mockRejectedValueOnce(new Error('The store is down.'))
    await asks.handOut()
    asks.end()
    expect(held()).toBe(1)
    await beat()
    expect(held()).toBe(0)
  }
})

test('[RUN-14] an ask of a session that could not be handed out stays with the replica', async () => {
  const { request, raise, store, errors, held, beat } = await replica()
  const handingOut = vi.spyOn(store.asks, 'handOut').mockRejectedValueOnce(new Error('The store is down.'))
  const asks = request({ kind: 'session', id: 'session_1' })
  const id = await raise(asks)

  await asks.handOutAsHandle([id])
  asks.end()
  await beat()

  expect(errors).toEqual([new Error('The store is down.')])
  expect(handingOut).toHaveBeenCalledTimes(1)
  expect(held()).toBe(0)
})
