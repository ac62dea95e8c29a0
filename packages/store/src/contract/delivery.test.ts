import { expect } from 'vitest'
import type { Store } from '../index.ts'
import { aForm, anId, ann, inEurope, minuteMs, noon } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const leaseMs = 10_000

async function answered(store: Store, callId?: string): Promise<string> {
  const { id } = await store.asks.raise(aForm(callId === undefined ? {} : { callId }))
  await store.asks.answer({ tenant: 'acme', id, person: ann, via: 'inbox', answer: inEurope })
  return id
}

async function kinds(store: Store, id: string): Promise<string[]> {
  const found: string[] = []
  for await (const { kind, subject } of store.audit.entries('acme')) if (subject === id) found.push(kind)
  return found
}

onEachEngine('[WAIT-9] an undelivered answer stays stored and gets a second audit entry, once', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const id = await answered(store)
  clock.advance(5_000)

  const marked = await Promise.all([1, 2, 3].map(() => store.asks.undelivered('acme', id, true)))

  expect(marked.filter(Boolean)).toHaveLength(1)
  expect((await store.asks.read('acme', id))?.state).toMatchObject({
    kind: 'settled',
    answer: inEurope,
    undeliveredAtMs: noon + 5_000,
  })
  expect((await store.asks.wait('acme', id))?.state).toHaveProperty('undeliveredAtMs')
  expect(await kinds(store, id)).toEqual(['ask.raised', 'ask.settled', 'ask.undelivered'])
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true })
  const { ended } = await store.inbox.statistics({ tenant: 'acme', person: ann, sinceMs: 0, atMost: 10 })
  expect(ended.map(({ outcome }) => outcome)).toEqual(['undelivered'])
})

onEachEngine(
  '[WAIT-9] a delivered answer stays delivered unless it is certain that the server had stopped waiting',
  async ({ open }) => {
    const store = await open()
    const [sure, unsure] = [await answered(store), await answered(store)]
    for (const id of [sure, unsure]) await store.asks.delivered('acme', id)

    expect(await store.asks.undelivered('acme', unsure, false)).toBe(false)
    expect(await store.asks.undelivered('acme', sure, true)).toBe(true)
    await store.asks.delivered('acme', sure)

    expect((await store.asks.read('acme', unsure))?.state).not.toHaveProperty('undeliveredAtMs')
    expect((await store.asks.read('acme', sure))?.state).toHaveProperty('undeliveredAtMs')
  },
)

onEachEngine('[WAIT-9] an ask without an answer cannot be marked as undelivered', async ({ open }) => {
  const store = await open()
  const ids = [aForm(), aForm()].map(({ id }) => id)
  for (const id of ids) await store.asks.raise(aForm({ id }))
  await store.asks.withdraw('acme', ids[1] as string, 'asker-stopped')

  for (const id of ids) expect(await store.asks.undelivered('acme', id, true)).toBe(false)
  expect((await store.asks.read('acme', ids[1] as string))?.state).toMatchObject({ reason: 'asker-stopped' })
})

onEachEngine('[WAIT-9] the undelivered answers of a dead process are found', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const callId = anId('call')
  const call = {
    tenant: 'acme',
    id: callId,
    principal: 'ann',
    server: 'deploy',
    method: 'tools/call',
    requestDigest: '',
  }
  await store.replicas.renew('gateway-1', leaseMs)
  await store.calls.begin({ ...call, owner: 'gateway-1' })
  const delivered = await answered(store, callId)
  await store.asks.delivered('acme', delivered)
  const lost = await answered(store, callId)
  const other = await answered(store)

  clock.advance(leaseMs + 1)
  await Promise.all([store.abandonLostCalls(), store.abandonLostCalls()])

  const ends = await Promise.all([delivered, lost, other].map((id) => kinds(store, id)))
  expect(ends.map((kind) => kind.at(-1))).toEqual(['ask.settled', 'ask.undelivered', 'ask.settled'])
})

onEachEngine(
  '[WAIT-10] the time a caller was last seen is written at most once per interval, and only while the ask is open',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const { id } = await store.asks.raise(aForm({ isWaitUnknown: true }))
    const seenAt = async () => (await store.asks.read('acme', id))?.lastSeenAtMs
    const seen: (number | undefined)[] = []

    for (const afterMs of [0, 9_000, 2_000, minuteMs]) {
      clock.advance(afterMs)
      await store.asks.seen('acme', id, 10_000)
      seen.push(await seenAt())
    }
    await store.asks.answer({ tenant: 'acme', id, person: ann, via: 'inbox', answer: inEurope })
    clock.advance(minuteMs)
    await store.asks.seen('acme', id, 10_000)

    expect(seen).toEqual([noon, noon, noon + 11_000, noon + 11_000 + minuteMs])
    expect(await seenAt()).toBe(noon + 11_000 + minuteMs)
    expect((await store.asks.read('acme', id))?.isWaitUnknown).toBe(true)
  },
)
