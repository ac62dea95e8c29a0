import { expect } from 'vitest'
import type { Store } from '../index.ts'
import { aForm, anId, ann, inEurope, minuteMs, noon } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const leaseMs = 10_000
const dayMs = 24 * 60 * 60 * 1_000

function aCall(id = anId('call')) {
  const draft = {
    tenant: 'acme',
    id,
    principal: 'ann',
    server: 'deploy',
    method: 'tools/call',
    requestDigest: 'sha256:0',
  }
  return { ...draft, owner: 'gateway-1' }
}

/** Begins a call of an owner whose lease is valid. */
async function begin(store: Store, call: ReturnType<typeof aCall>): Promise<void> {
  await store.replicas.renew(call.owner, leaseMs)
  await store.calls.begin(call)
}

onEachEngine('[STORE-10] a call is stored with its owner, and later with its outcome', async ({ open }) => {
  const store = await open({ clock: stoppedClock() })
  const call = aCall()
  await begin(store, call)

  expect(await store.calls.read('acme', call.id, 'ann')).toEqual({
    ...call,
    startedAtMs: noon,
    state: { kind: 'running' },
  })
  expect(await store.calls.finish('acme', call.id, 'gateway-1', '{"content":[]}')).toBe(true)
  expect((await store.calls.read('acme', call.id, 'ann'))?.state).toEqual({
    kind: 'finished',
    outcome: '{"content":[]}',
    atMs: noon,
    delivered: false,
  })
})

onEachEngine('[STORE-10] an outcome is stored once, and can be delivered again', async ({ open }) => {
  const store = await open({ clock: stoppedClock() })
  const call = aCall()
  await begin(store, call)

  const finishes = await Promise.all(
    ['a', 'b'].map((outcome) => store.calls.finish('acme', call.id, 'gateway-1', outcome)),
  )
  expect(finishes.filter(Boolean)).toHaveLength(1)
  expect(await store.calls.delivered('acme', call.id)).toBe(true)
  expect(await store.calls.delivered('acme', call.id)).toBe(false)
  expect((await store.calls.read('acme', call.id, 'ann'))?.state).toMatchObject({ kind: 'finished', delivered: true })
})

onEachEngine('[STORE-10] only the caller sees a call, and only its owner finishes it', async ({ open }) => {
  const store = await open()
  const call = aCall()
  await begin(store, call)

  expect(await store.calls.read('acme', call.id, 'ben')).toBeUndefined()
  expect(await store.calls.read('umbrella', call.id, 'ann')).toBeUndefined()
  expect(await store.calls.finish('acme', call.id, 'gateway-2', '{}')).toBe(false)
  expect(await store.calls.finish('umbrella', call.id, 'gateway-1', '{}')).toBe(false)
  expect(await store.calls.delivered('acme', call.id)).toBe(false)
})

onEachEngine('[STORE-10] a call begins and finishes only while the lease of its owner is valid', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const [call, late] = [aCall(), aCall()]
  const ended = { code: 'store_unavailable', message: expect.stringContaining('lease') }
  await expect(store.calls.begin(call)).rejects.toMatchObject(ended)
  await begin(store, call)
  clock.advance(leaseMs)

  await expect(store.calls.begin(late)).rejects.toMatchObject(ended)
  await expect(store.calls.finish('acme', call.id, 'gateway-1', '{}')).rejects.toMatchObject(ended)
  expect((await store.calls.read('acme', call.id, 'ann'))?.state).toEqual({ kind: 'running' })
  expect(await store.calls.read('acme', late.id, 'ann')).toBeUndefined()

  expect(await store.replicas.renew('gateway-1', leaseMs)).toBe(false)
  expect(await store.calls.finish('acme', call.id, 'gateway-1', '{}')).toBe(true)
})

onEachEngine(
  '[STORE-10] a call that was marked as lost is not finished by an owner that renews its lease',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const call = aCall()
    await begin(store, call)
    clock.advance(leaseMs)
    expect(await store.abandonLostCalls()).toEqual([{ tenant: 'acme', id: call.id }])

    await store.replicas.renew('gateway-1', leaseMs)

    expect(await store.calls.finish('acme', call.id, 'gateway-1', '{}')).toBe(false)
    expect((await store.calls.read('acme', call.id, 'ann'))?.state).toEqual({ kind: 'lost', atMs: noon + leaseMs })
    expect(await store.calls.ofOwner('gateway-1')).toEqual([])
  },
)

onEachEngine(
  '[STORE-10] an owner that renews its one lease keeps all its calls, and only its own',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const [mine, also, other] = [aCall(), aCall(), { ...aCall(), owner: 'gateway-2' }]
    for (const call of [mine, also, other]) await begin(store, call)
    clock.advance(leaseMs - 1)
    expect(await store.replicas.renew('gateway-1', leaseMs)).toBe(true)
    clock.advance(leaseMs - 1)

    expect(await store.replicas.owners()).toEqual([
      { id: 'gateway-1', isAlive: true },
      { id: 'gateway-2', isAlive: false },
    ])
    expect(await store.abandonLostCalls()).toEqual([{ tenant: 'acme', id: other.id }])
    expect(await store.replicas.owners()).toEqual([{ id: 'gateway-1', isAlive: true }])
    const running = (await store.calls.ofOwner('gateway-1')).map(({ id }) => id)
    expect(running.sort()).toEqual([mine.id, also.id].sort())
  },
)

onEachEngine(
  '[STORE-10] the periodic sweep ends no call, so that it cannot end those of live replicas',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const call = aCall()
    await begin(store, call)
    clock.advance(leaseMs)

    await store.sweep()

    expect((await store.calls.read('acme', call.id, 'ann'))?.state).toEqual({ kind: 'running' })
  },
)

onEachEngine(
  '[STORE-10] a call that its owner abandons is lost, and its asks are withdrawn with the reason',
  async ({ open }) => {
    const store = await open({ clock: stoppedClock() })
    const [call, other] = [aCall(), aCall()]
    for (const one of [call, other]) await begin(store, one)
    const ask = await store.asks.raise(aForm({ callId: call.id }))
    const abandoned = { tenant: 'acme', id: call.id, reason: 'store-unavailable' } as const

    await store.abandonCall({ ...abandoned, owner: 'gateway-2' })
    expect((await store.calls.read('acme', call.id, 'ann'))?.state.kind).toBe('running')
    for (let time = 0; time < 2; time++) await store.abandonCall({ ...abandoned, owner: 'gateway-1' })

    expect((await store.calls.read('acme', call.id, 'ann'))?.state.kind).toBe('lost')
    expect((await store.calls.read('acme', other.id, 'ann'))?.state.kind).toBe('running')
    const { state } = (await store.asks.read('acme', ask.id)) ?? {}
    expect(state).toMatchObject({ kind: 'withdrawn', reason: 'store-unavailable' })
    expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 3 })
  },
)

onEachEngine('[STORE-10] a sweep abandons lost calls and withdraws their asks, once', async ({ open }) => {
  const clock = stoppedClock()
  const stores = [await open({ clock }), await open({ clock })]
  const [store] = stores
  if (store === undefined) throw new Error('No store was opened.')
  const call = aCall()
  await begin(store, call)
  const waiting = await store.asks.raise(aForm({ callId: call.id }))
  const unrelated = await store.asks.raise(aForm())
  clock.advance(leaseMs)

  const sweeps = await Promise.all(stores.map((one) => one.abandonLostCalls()))

  expect(sweeps.flat()).toEqual([{ tenant: 'acme', id: call.id }])
  expect((await store.asks.read('acme', waiting.id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
  expect((await store.asks.read('acme', unrelated.id))?.state.kind).toBe('open')
  const late = await store.asks.answer({ tenant: 'acme', id: waiting.id, person: ann, via: 'inbox', answer: inEurope })
  expect(late).toMatchObject({ kind: 'ended' })
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 4 })
})

onEachEngine(
  '[STORE-10] a sweep ends nothing of a call whose lease is valid again when the call is to be marked',
  async ({ open }) => {
    const clock = stoppedClock()
    // The lease is valid again, as after a renewal between the two statements of the sweep.
    const onStep = ({ name }: { name: string }) => (name === 'find_lost' ? clock.advance(-leaseMs) : undefined)
    const store = await open({ clock, onStep })
    const call = aCall()
    await begin(store, call)
    const [waiting, answered] = [aForm({ callId: call.id }), aForm({ callId: call.id })]
    for (const ask of [waiting, answered]) await store.asks.raise(ask)
    await store.asks.answer({ tenant: 'acme', id: answered.id, person: ann, via: 'inbox', answer: inEurope })
    const sweepAfter = async (ms: number) => {
      clock.advance(ms)
      return store.abandonLostCalls()
    }

    expect(await sweepAfter(leaseMs)).toEqual([])

    expect((await store.calls.read('acme', call.id, 'ann'))?.state).toEqual({ kind: 'running' })
    expect((await store.asks.read('acme', waiting.id))?.state.kind).toBe('open')
    expect((await store.asks.read('acme', answered.id))?.state).not.toHaveProperty('undeliveredAtMs')
    expect(await sweepAfter(2 * leaseMs)).toEqual([{ tenant: 'acme', id: call.id }])
    expect((await store.asks.read('acme', waiting.id))?.state.kind).toBe('withdrawn')
    expect((await store.asks.read('acme', answered.id))?.state).toHaveProperty('undeliveredAtMs')
  },
)

onEachEngine(
  '[STORE-13] a sweep records expired asks and deletes ids that can no longer be replayed',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const ask = await store.asks.raise(aForm({ decideWithinMs: minuteMs }))
    const [old, fresh] = [anId('state'), anId('state')]
    await store.grants.useState('acme', old, noon + minuteMs)
    clock.advance(2 * 24 * 60 * minuteMs)
    await store.grants.useState('acme', fresh, clock() + minuteMs)

    expect(await store.sweep()).toEqual({ expired: 1, deleted: 1 })
    expect(await store.sweep()).toEqual({ expired: 0, deleted: 0 })
    expect(await store.grants.useState('acme', fresh, clock() + minuteMs)).toBe(false)
    expect((await store.asks.read('acme', ask.id))?.state).toEqual({ kind: 'expired', atMs: noon + minuteMs })
  },
)

onEachEngine('[STORE-13] the outcome of a call is deleted when it can no longer be fetched', async ({ open }) => {
  let now = noon
  const store = await open({ clock: () => now })
  const [finished, lost, running] = [aCall(), { ...aCall(), owner: 'gateway-2' }, aCall()]
  for (const call of [finished, lost, running]) await begin(store, call)
  await store.replicas.renew('gateway-1', 30 * dayMs)
  await store.calls.finish('acme', finished.id, 'gateway-1', '{}')
  const kindOf = async ({ id }: { id: string }) => (await store.calls.read('acme', id, 'ann'))?.state.kind
  const kinds = async () => [await kindOf(finished), await kindOf(lost), await kindOf(running)]

  now += leaseMs
  await store.abandonLostCalls()
  now += 15 * dayMs
  // Only the row of the dead replica.
  expect((await store.sweep()).deleted).toBe(1)
  expect(await kinds()).toEqual(['finished', 'lost', 'running'])

  now += dayMs + 1
  expect((await store.sweep()).deleted).toBe(2)
  expect(await kinds()).toEqual([undefined, undefined, 'running'])
})
