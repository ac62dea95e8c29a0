import type { Ask } from '@assent/core'
import { expect } from 'vitest'
import type { Store } from '../index.ts'
import { aForm, minuteMs } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const leaseMs = 6_000
const anHourMs = 60 * minuteMs

async function aWaitingAsk(store: Store, replica: string): Promise<Ask> {
  await store.replicas.renew(replica, leaseMs)
  return store.asks.raise({ ...aForm(), decideWithinMs: anHourMs }, undefined, replica)
}

async function stateOf(store: Store, { tenant, id }: Ask) {
  return (await store.asks.read(tenant, id))?.state
}

onEachEngine(
  '[RUN-13] an ask that waits at a replica is withdrawn once the lease of that replica has ended',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const [dead, living] = [await aWaitingAsk(store, 'dead'), await aWaitingAsk(store, 'living')]
    const unnamed = await store.asks.raise({ ...aForm(), decideWithinMs: anHourMs })

    clock.advance(leaseMs - 1)
    expect(await store.asks.withdrawOfDeadReplicas()).toBe(0)
    await store.replicas.renew('living', leaseMs)
    clock.advance(1)
    expect(await store.asks.withdrawOfDeadReplicas()).toBe(1)

    expect(await stateOf(store, dead)).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
    expect(await stateOf(store, living)).toEqual({ kind: 'open' })
    expect(await stateOf(store, unnamed)).toEqual({ kind: 'open' })
    const kinds: string[] = []
    for await (const { kind } of store.audit.entries(dead.tenant)) kinds.push(kind)
    expect(kinds.filter((kind) => kind === 'ask.withdrawn')).toHaveLength(1)
  },
)

onEachEngine('[RUN-13] a replica that renews an ended lease keeps its asks', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const ask = await aWaitingAsk(store, 'stalled')

  clock.advance(leaseMs)
  await store.replicas.renew('stalled', leaseMs)

  expect(await store.asks.withdrawOfDeadReplicas()).toBe(0)
  expect(await stateOf(store, ask)).toEqual({ kind: 'open' })
})

onEachEngine(
  '[RUN-13] an ask whose caller received a state stays open when the replica ends, and no other replica can withdraw it',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const [held, handedOut] = [await aWaitingAsk(store, 'a'), await aWaitingAsk(store, 'a')]
    await store.asks.handOut(handedOut.tenant, handedOut.id)

    expect(await store.asks.withdrawOfReplica('b', 'caller-gone')).toBe(0)
    expect(await store.asks.withdrawOfReplica('a', 'caller-gone')).toBe(1)
    clock.advance(leaseMs)
    expect(await store.asks.withdrawOfDeadReplicas()).toBe(0)

    expect(await stateOf(store, held)).toMatchObject({ kind: 'withdrawn', reason: 'caller-gone' })
    expect(await stateOf(store, handedOut)).toEqual({ kind: 'open' })
  },
)

onEachEngine(
  '[RUN-14] an ask whose handle belongs to a session is withdrawn when the session ends',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const limits = { keepMs: 30 * minuteMs, perPrincipal: 10 }
    const session = { revision: '2025-11-25', client: '{}', owner: 'a' }
    const asks = []
    for (const id of ['ends', 'runs out', 'continues']) {
      const ask = await aWaitingAsk(store, 'a')
      const name = { tenant: ask.tenant, id, principal: 'ann' }
      await store.sessions.begin(name, session, limits)
      await store.asks.handOut(ask.tenant, ask.id, id)
      asks.push({ ask, name })
    }
    const [ends, , goesOn] = asks
    expect(await store.asks.withdrawOfGoneSessions()).toBe(0)

    if (ends !== undefined) await store.sessions.end(ends.name)
    expect(await store.asks.withdrawOfGoneSessions()).toBe(1)
    clock.advance(29 * minuteMs)
    if (goesOn !== undefined) await store.sessions.extend(goesOn.name, limits.keepMs)
    clock.advance(minuteMs)
    await store.sweep()

    const states = await Promise.all(asks.map(async ({ ask }) => (await stateOf(store, ask))?.kind))
    expect(states).toEqual(['withdrawn', 'withdrawn', 'open'])
  },
)

onEachEngine('[STORE-20] live gateways are listed with their addresses, until their lease ends', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  await store.replicas.renew('reachable', leaseMs, 'http://127.0.0.1:7421')
  await store.replicas.renew('alone', leaseMs, '')
  await store.replicas.renew('window', leaseMs)
  await store.replicas.renew('short', leaseMs / 2, 'http://127.0.0.1:7422')
  await store.replicas.renew('ended', leaseMs, 'http://127.0.0.1:7423')
  await store.replicas.end('ended')
  clock.advance(leaseMs / 2)

  const live = (await store.replicas.live()).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  expect(live).toEqual([
    { id: 'alone', address: '' },
    { id: 'reachable', address: 'http://127.0.0.1:7421' },
  ])
})
