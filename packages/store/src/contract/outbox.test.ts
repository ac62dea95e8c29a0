import { expect } from 'vitest'
import type { Store } from '../index.ts'
import { accept, aForm, anApproval, ann, minuteMs } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const leaseMs = minuteMs

function claimAs(store: Store, owner: string, atMost = 10) {
  return store.outbox.claim({ tenant: 'acme', owner, leaseMs, atMost })
}

function announce(store: Store, draft = anApproval(['person:ann', 'group:ops'], 1)) {
  return store.asks.raise(draft, undefined, undefined, true)
}

/** The one message that is due. */
async function claimOne(store: Store, owner = 'one') {
  const [due, ...others] = await claimAs(store, owner)
  if (due === undefined || others.length > 0) throw new Error('Expected one message.')
  return due
}

onEachEngine(
  '[STORE-50] an announced ask has a message that is due at once, other asks have none',
  async ({ open }) => {
    const store = await open()
    const limits = { perCaller: 9, perServer: 9, perTenant: 9, total: 9 }
    await store.asks.raise(aForm())
    await store.asks.raise(aForm(), limits)
    const { id } = await announce(store)
    const within = await store.asks.raise(anApproval(['group:ops'], 1), limits, undefined, true)

    const due = await claimAs(store, 'one')

    expect(due.map(({ askId }) => askId).toSorted()).toEqual([id, within.id].toSorted())
    expect(due[0]).toMatchObject({ tenant: 'acme', stage: 'raised', attempts: 1, done: [], owner: 'one' })
  },
)

onEachEngine(
  '[STORE-50] an ask that is not raised leaves no message, and the same ask again has one',
  async ({ open }) => {
    const store = await open()
    const draft = anApproval(['group:ops'], 1)
    const none = { perCaller: 0, perServer: 9, perTenant: 9, total: 9 }
    await expect(store.asks.raise(draft, none, undefined, true)).rejects.toThrow()
    expect(await claimAs(store, 'one')).toEqual([])

    await announce(store, draft)
    await announce(store, draft)

    expect(await claimAs(store, 'one')).toHaveLength(1)
  },
)

onEachEngine('[STORE-51] of several processes that claim at once, one gets each message', async ({ open }) => {
  const stores = [await open(), await open()]
  const [first] = stores
  for (let n = 0; n < 5; n++) if (first !== undefined) await announce(first)

  const claims = await Promise.all(
    Array.from({ length: 8 }, (_, n) => {
      const store = stores[n % 2]
      return store === undefined ? [] : claimAs(store, `process ${n}`, 3)
    }),
  )

  const ids = claims.flat().map(({ askId }) => askId)
  expect(new Set(ids).size).toBe(ids.length)
  const rest = first === undefined ? [] : await claimAs(first, 'last')
  expect(ids.length + rest.length).toBe(5)
})

onEachEngine(
  '[STORE-51] the message of a process that died is sent by another one, and its own late result changes nothing',
  async ({ open }) => {
    const clock = stoppedClock()
    const [one, other] = [await open({ clock }), await open({ clock })]
    await announce(one)
    const dead = await claimOne(one, 'one')
    clock.advance(leaseMs - 1)
    expect(await claimAs(other, 'other')).toEqual([])
    clock.advance(1)

    const again = await claimOne(other, 'other')

    expect(again).toMatchObject({ askId: dead.askId, stage: 'raised', attempts: 2 })
    const next = { stage: 'waiting', dueAtMs: 0, attempts: 0, done: [] } as const
    expect(await one.outbox.reschedule(dead, next)).toBe(false)
    expect(await one.outbox.remove(dead)).toBe(false)
    expect(await other.outbox.reschedule(again, { ...next, dueAtMs: clock() + minuteMs })).toBe(true)
  },
)

onEachEngine('[STORE-51] a lease of the same process that has ended changes nothing either', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  await announce(store)
  const before = await claimOne(store)
  clock.advance(leaseMs)
  const after = await claimOne(store)

  expect(await store.outbox.remove(before)).toBe(false)
  expect(await store.outbox.remove(after)).toBe(true)
})

onEachEngine('[STORE-51] a failed attempt is due again later, with the recipients that are done', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  await announce(store)
  const due = await claimOne(store)
  const retry = { stage: 'raised', dueAtMs: clock() + minuteMs, attempts: 1, done: ['chat', 'mail "x"'] } as const
  await store.outbox.reschedule(due, retry)
  expect(await claimAs(store, 'one')).toEqual([])
  clock.advance(minuteMs)

  expect(await claimOne(store)).toMatchObject({ stage: 'raised', attempts: 2, done: ['chat', 'mail "x"'] })
})

onEachEngine('[STORE-52] the end of an ask makes its message due at once, however it ended', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const waiting = { stage: 'waiting', dueAtMs: clock() + 10 * minuteMs, attempts: 0, done: [] } as const
  const raise = async () => {
    const ask = await announce(store)
    await store.outbox.reschedule(await claimOne(store), waiting)
    return ask
  }
  const [answered, withdrawn, expired] = [await raise(), await raise(), await raise()]
  expect(await claimAs(store, 'one')).toEqual([])

  const { tenant } = answered
  await store.asks.answer({ tenant, id: answered.id, person: ann, via: 'inbox', answer: accept })
  const first = await claimOne(store)
  await store.asks.withdraw(tenant, withdrawn.id, 'call-cancelled')
  const second = await claimOne(store)
  clock.advance(10 * minuteMs)
  const late = await claimAs(store, 'one')

  expect([first.askId, second.askId]).toEqual([answered.id, withdrawn.id])
  expect(late.map(({ askId }) => askId)).toContain(expired.id)
})

onEachEngine('[STORE-52] a failed message about an end waits for its next attempt', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const { tenant, id } = await announce(store)
  await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })
  const due = await claimOne(store)
  await store.outbox.reschedule(due, { stage: 'ended', dueAtMs: clock() + minuteMs, attempts: 1, done: [] })

  expect(await claimAs(store, 'one')).toEqual([])
  clock.advance(minuteMs)
  expect(await claimOne(store)).toMatchObject({ stage: 'ended', attempts: 2 })
})

onEachEngine('[STORE-52] [STORE-13] messages about asks that ended long ago are deleted', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const { tenant, id } = await announce(store)
  await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })
  clock.advance(6 * 24 * 60 * minuteMs)
  await store.sweep()
  expect(await claimAs(store, 'one')).toHaveLength(1)
  clock.advance(25 * 60 * minuteMs)
  await store.sweep()

  expect(await claimAs(store, 'one')).toEqual([])
})

onEachEngine('[STORE-11] a message can be claimed only for its tenant', async ({ open }) => {
  const store = await open()
  await announce(store)

  expect(await store.outbox.claim({ tenant: 'umbrella', owner: 'one', leaseMs, atMost: 10 })).toEqual([])
})
