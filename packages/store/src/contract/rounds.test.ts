import { expect } from 'vitest'
import { minuteMs } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const ann = { tenant: 'acme', id: 'round 1', principal: 'ann' }
const keepMs = 10 * minuteMs
const leaseMs = 6_000

onEachEngine('[RUN-3] a round is claimed once, however many replicas try at the same moment', async ({ open }) => {
  const stores = [await open(), await open()]
  const [store] = stores
  expect(await store?.rounds.read(ann)).toBeUndefined()

  const claims = await Promise.all(
    Array.from({ length: 8 }, (_, n) => stores[n % 2]?.rounds.claim(ann, `replica ${n}`, keepMs)),
  )

  expect(claims.filter(Boolean)).toHaveLength(1)
  const owner = `replica ${claims.indexOf(true)}`
  expect(await store?.rounds.read(ann)).toEqual({ kind: 'claimed', owner, isOwnerAlive: false })
})

onEachEngine('[RUN-3] only the owner stores the outcome of a round, once', async ({ open }) => {
  const store = await open()
  expect(await store.rounds.finish(ann, 'a', '{"run":0}')).toBe(false)
  await store.rounds.claim(ann, 'a', keepMs)

  expect(await store.rounds.finish(ann, 'b', '{"run":1}')).toBe(false)
  expect(await store.rounds.finish(ann, 'a', '{"run":2}')).toBe(true)
  expect(await store.rounds.finish(ann, 'a', '{"run":2}')).toBe(true)
  expect(await store.rounds.finish(ann, 'a', '{"run":3}')).toBe(false)

  expect(await store.rounds.read(ann)).toEqual({ kind: 'finished', outcome: '{"run":2}' })
  expect(await store.rounds.claim(ann, 'b', keepMs)).toBe(false)
})

onEachEngine('[RUN-3] only the owner releases a claim, and only while no outcome is stored', async ({ open }) => {
  const store = await open()
  await store.rounds.claim(ann, 'a', keepMs)

  await store.rounds.release(ann, 'b')
  expect(await store.rounds.claim(ann, 'b', keepMs)).toBe(false)
  await store.rounds.release(ann, 'a')
  expect(await store.rounds.claim(ann, 'b', keepMs)).toBe(true)
  await store.rounds.finish(ann, 'b', '{}')
  await store.rounds.release(ann, 'b')

  expect(await store.rounds.read(ann)).toEqual({ kind: 'finished', outcome: '{}' })
})

onEachEngine('[RUN-3] [STORE-11] only its caller reads or ends a round', async ({ open }) => {
  const store = await open()
  await store.rounds.claim(ann, 'a', keepMs)

  for (const other of [
    { ...ann, principal: 'ben' },
    { ...ann, tenant: 'umbrella' },
  ]) {
    expect(await store.rounds.read(other)).toBeUndefined()
    expect(await store.rounds.finish(other, 'a', '{}')).toBe(false)
    await store.rounds.release(other, 'a')
  }

  expect(await store.rounds.read(ann)).toMatchObject({ kind: 'claimed', owner: 'a' })
})

onEachEngine(
  '[RUN-3] a claim stays as long as its states are valid, and is deleted by the sweep a day later',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    await store.rounds.claim(ann, 'a', keepMs)

    clock.advance(keepMs + 23 * 60 * minuteMs)
    await store.sweep()
    expect(await store.rounds.claim(ann, 'b', keepMs)).toBe(false)
    clock.advance(2 * 60 * minuteMs)
    expect((await store.sweep()).deleted).toBe(1)

    expect(await store.rounds.read(ann)).toBeUndefined()
  },
)

onEachEngine(
  "[RUN-4] a replica is alive until its lease ends by the database's clock, and again once it renews",
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    await store.rounds.claim(ann, 'a', keepMs)
    const isAlive = async () => {
      const round = await store.rounds.read(ann)
      const isOwnerAlive = round?.kind === 'claimed' && round.isOwnerAlive
      expect(await store.replicas.isAlive('a')).toBe(isOwnerAlive)
      return isOwnerAlive
    }
    expect(await isAlive()).toBe(false)

    await store.replicas.renew('a', leaseMs)
    clock.advance(leaseMs - 1)
    expect(await isAlive()).toBe(true)
    clock.advance(1)
    expect(await isAlive()).toBe(false)
    await store.replicas.renew('a', leaseMs)
    expect(await isAlive()).toBe(true)
    await store.replicas.end('a')
    expect(await isAlive()).toBe(false)
  },
)
