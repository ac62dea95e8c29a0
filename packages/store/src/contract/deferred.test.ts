import { expect } from 'vitest'
import { anId, minuteMs } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const owner = 'gateway-1'

function aDeferred(id = anId('ask')) {
  return { tenant: 'acme', id, principal: 'ann', state: 'sealed', keepMs: 10 * minuteMs }
}

onEachEngine('[STORE-16] a deferred call is claimed once, however many processes try', async ({ open }) => {
  const stores = [await open(), await open()]
  const call = aDeferred()
  const [store] = stores
  expect(await store?.deferred.keep(call)).toBe(true)
  expect(await store?.deferred.keep({ ...call, state: 'other' })).toBe(false)
  expect(await store?.deferred.read('acme', call.id, 'ann')).toEqual({ kind: 'waiting', state: 'sealed' })

  const claims = await Promise.all(
    Array.from({ length: 8 }, (_, n) => stores[n % 2]?.deferred.claim('acme', call.id, 'ann', owner)),
  )

  expect(claims.filter(Boolean)).toHaveLength(1)
  expect(await store?.deferred.read('acme', call.id, 'ann')).toMatchObject({ kind: 'claimed', owner })
  expect(await store?.deferred.finish('acme', call.id, '{"done":true}')).toBe(true)
  expect(await store?.deferred.finish('acme', call.id, '{"done":false}')).toBe(false)
  expect(await store?.deferred.read('acme', call.id, 'ann')).toEqual({ kind: 'finished', outcome: '{"done":true}' })
})

onEachEngine('[STORE-16] the first outcome of a call without a claim stays', async ({ open }) => {
  const stores = [await open(), await open()]
  const call = aDeferred()
  const [store] = stores
  await store?.deferred.keep(call)

  const stored = await Promise.all(
    Array.from({ length: 8 }, (_, n) => stores[n % 2]?.deferred.finish('acme', call.id, String(n))),
  )

  expect(stored.filter(Boolean)).toHaveLength(1)
  const outcome = String(stored.indexOf(true))
  expect(await store?.deferred.read('acme', call.id, 'ann')).toEqual({ kind: 'finished', outcome })
})

onEachEngine('[STORE-16] a claim does not expire', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const call = aDeferred()
  await store.deferred.keep(call)
  await store.deferred.claim('acme', call.id, 'ann', owner)
  clock.advance(9 * minuteMs)

  expect(await store.deferred.claim('acme', call.id, 'ann', owner)).toBe(false)
})

onEachEngine('[STORE-16] [STORE-11] only its caller can read a deferred call, until it expires', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const call = aDeferred()
  await store.deferred.keep(call)

  for (const [tenant, principal] of [
    ['acme', 'ben'],
    ['umbrella', 'ann'],
  ] as const) {
    expect(await store.deferred.read(tenant, call.id, principal)).toBeUndefined()
    expect(await store.deferred.claim(tenant, call.id, principal, owner)).toBe(false)
  }
  clock.advance(10 * minuteMs)
  expect(await store.deferred.read('acme', call.id, 'ann')).toBeUndefined()
  expect(await store.deferred.claim('acme', call.id, 'ann', owner)).toBe(false)
  clock.advance(25 * 60 * minuteMs)
  expect((await store.sweep()).deleted).toBe(1)
})
