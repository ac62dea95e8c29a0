import { expect } from 'vitest'
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
  return { ...draft, owner: 'gateway-1', leaseMs }
}

onEachEngine('[STORE-10] a call is stored with its owner, and later with its outcome', async ({ open }) => {
  const store = await open({ clock: stoppedClock() })
  const call = aCall()
  await store.calls.begin(call)

  const { leaseMs: _, ...kept } = call
  expect(await store.calls.read('acme', call.id, 'ann')).toEqual({
    ...kept,
    startedAtMs: noon,
    state: { kind: 'running', leaseUntilMs: noon + leaseMs },
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
  await store.calls.begin(call)

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
  await store.calls.begin(call)

  expect(await store.calls.read('acme', call.id, 'ben')).toBeUndefined()
  expect(await store.calls.read('umbrella', call.id, 'ann')).toBeUndefined()
  expect(await store.calls.finish('acme', call.id, 'gateway-2', '{}')).toBe(false)
  expect(await store.calls.finish('umbrella', call.id, 'gateway-1', '{}')).toBe(false)
  expect(await store.calls.delivered('acme', call.id)).toBe(false)
})

onEachEngine('[STORE-10] a call is lost once the lease of its owner has ended', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const call = aCall()
  await store.calls.begin(call)
  clock.advance(leaseMs)

  expect((await store.calls.read('acme', call.id, 'ann'))?.state).toEqual({ kind: 'lost', atMs: noon + leaseMs })
  expect(await store.calls.finish('acme', call.id, 'gateway-1', '{}')).toBe(false)
  expect(await store.calls.renew('gateway-1', leaseMs)).toEqual(new Set())
})

onEachEngine('[STORE-10] an owner that renews its lease keeps all its calls, and only its own', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const [mine, also, other] = [aCall(), aCall(), { ...aCall(), owner: 'gateway-2' }]
  for (const call of [mine, also, other]) await store.calls.begin(call)
  clock.advance(leaseMs - 1)

  expect(await store.calls.renew('gateway-1', leaseMs)).toEqual(new Set([mine.id, also.id]))
  clock.advance(leaseMs - 1)
  expect((await store.calls.read('acme', mine.id, 'ann'))?.state.kind).toBe('running')
  expect((await store.calls.read('acme', other.id, 'ann'))?.state.kind).toBe('lost')
})

onEachEngine('[STORE-10] a sweep abandons lost calls and withdraws their asks, once', async ({ open }) => {
  const clock = stoppedClock()
  const stores = [await open({ clock }), await open({ clock })]
  const [store] = stores
  if (store === undefined) throw new Error('No store was opened.')
  const call = aCall()
  await store.calls.begin(call)
  const waiting = await store.asks.raise(aForm({ callId: call.id }))
  const unrelated = await store.asks.raise(aForm())
  clock.advance(leaseMs)

  const sweeps = await Promise.all(stores.map((one) => one.sweep()))

  expect(sweeps.flatMap(({ lost }) => lost)).toEqual([{ tenant: 'acme', id: call.id }])
  expect((await store.asks.read('acme', waiting.id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
  expect((await store.asks.read('acme', unrelated.id))?.state.kind).toBe('open')
  const late = await store.asks.answer({ tenant: 'acme', id: waiting.id, person: ann, via: 'inbox', answer: inEurope })
  expect(late).toMatchObject({ kind: 'ended' })
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 4 })
})

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

    expect(await store.sweep()).toEqual({ expired: 1, lost: [], deleted: 1 })
    expect(await store.sweep()).toEqual({ expired: 0, lost: [], deleted: 0 })
    expect(await store.grants.useState('acme', fresh, clock() + minuteMs)).toBe(false)
    expect((await store.asks.read('acme', ask.id))?.state).toEqual({ kind: 'expired', atMs: noon + minuteMs })
  },
)

onEachEngine('[STORE-13] the outcome of a call is deleted when it can no longer be fetched', async ({ open }) => {
  let now = noon
  const store = await open({ clock: () => now })
  const [finished, lost, running] = [aCall(), aCall(), { ...aCall(), leaseMs: 30 * dayMs }]
  for (const call of [finished, lost, running]) await store.calls.begin(call)
  await store.calls.finish('acme', finished.id, 'gateway-1', '{}')
  const kindOf = async ({ id }: { id: string }) => (await store.calls.read('acme', id, 'ann'))?.state.kind
  const kinds = async () => [await kindOf(finished), await kindOf(lost), await kindOf(running)]

  now += leaseMs
  await store.sweep()
  now += 15 * dayMs
  expect((await store.sweep()).deleted).toBe(0)
  expect(await kinds()).toEqual(['finished', 'lost', 'running'])

  now += dayMs + 1
  expect((await store.sweep()).deleted).toBe(2)
  expect(await kinds()).toEqual([undefined, undefined, 'running'])
})
