import { expect } from 'vitest'
import { allItems } from '../../../../test-kit/all-items.ts'
import type { RecordedCall, Store } from '../index.ts'
import { aRecordedCall, minuteMs } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const start = { atMs: 0, id: '' }

function read(store: Store, after = start, settledMs = 0) {
  return allItems(store.recordedCalls.since('acme', after, settledMs))
}

const everything: RecordedCall = aRecordedCall({
  groups: ['ops', 'release'],
  agent: 'oauth-client',
  client: 'Claude Code “β”',
  clientVersion: '2.1',
  address: '203.0.113.7',
  digest: `sha256:${'a'.repeat(64)}`,
  arguments: '{"env":"production","note":"\\u0000 and \\ud800"}',
  hidden: ['/password'],
  effect: 'ask',
  policies: ['production "deploys"'],
  askId: 'ask_1',
  outcome: 'ok',
  endedAtMs: 1_785_240_000_123,
})

onEachEngine('[STORE-60] a recorded call is read as it was written', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const bare = aRecordedCall()

  await store.recordedCalls.write([everything])
  clock.advance(1)
  await store.recordedCalls.write([bare])

  expect(await read(store)).toEqual([
    { ...everything, recordedAtMs: clock() - 1 },
    { ...bare, recordedAtMs: clock() },
  ])
  expect(await allItems(store.recordedCalls.since('other', start, 0))).toEqual([])
})

onEachEngine('[STORE-60] a group is written in one step, of several with one id the last', async ({ open }) => {
  const store = await open()
  const call = aRecordedCall()
  const others = Array.from({ length: 600 }, () => aRecordedCall({ outcome: 'ok' }))

  await store.recordedCalls.write([call, ...others, { ...call, outcome: 'denied' }])
  await store.recordedCalls.write([])

  const found = await read(store)
  expect(found).toHaveLength(601)
  expect(found.find(({ id }) => id === call.id)).toMatchObject({ outcome: 'denied' })
})

onEachEngine('[STORE-60] several writes with one id have the same result in one group', async ({ open }) => {
  const store = await open()
  const begun = aRecordedCall({ arguments: '{"env":"test"}', hidden: ['/password'], client: 'Claude Code' })
  const { arguments: _none, hidden: _nothing, client: _client, ...bare } = begun
  const ended: RecordedCall = { ...bare, outcome: 'ok', effect: 'ask', policies: ['release'], askId: 'ask_1' }

  await store.recordedCalls.write([begun, ended, { ...bare, outcome: 'denied' }, bare])

  expect(await read(store)).toMatchObject([
    { ...begun, outcome: 'ok', effect: 'ask', policies: ['release'], askId: 'ask_1' },
  ])
})

onEachEngine('[STORE-61] a call that has ended does not change any more', async ({ open }) => {
  const store = await open()
  const call = aRecordedCall({ effect: 'ask', policies: ['release'] })
  await store.recordedCalls.write([call])
  await store.recordedCalls.write([{ ...call, outcome: 'ok', askId: 'ask_1', endedAtMs: call.beganAtMs + 5 }])

  await store.recordedCalls.write([call])
  await store.recordedCalls.write([{ ...call, outcome: 'failed' }])

  const ended = { outcome: 'ok', askId: 'ask_1', effect: 'ask', policies: ['release'], endedAtMs: call.beganAtMs + 5 }
  expect(await read(store)).toEqual([expect.objectContaining(ended)])
})

onEachEngine(
  '[STORE-62] a reader that continues after its last call gets those that were written or completed since',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const [first, second, third] = [aRecordedCall(), aRecordedCall({ outcome: 'ok' }), aRecordedCall()]
    await store.recordedCalls.write([first, second])
    const last = (await read(store)).at(-1)
    const after = { atMs: last?.recordedAtMs ?? 0, id: last?.id ?? '' }
    expect(await read(store, after)).toEqual([])

    clock.advance(1)
    await store.recordedCalls.write([{ ...first, outcome: 'tool-error' }, third])

    const found = await read(store, after)
    expect(found.map(({ id }) => id).toSorted()).toEqual([first.id, third.id].toSorted())
    expect(found.find(({ id }) => id === first.id)).toMatchObject({ outcome: 'tool-error' })
  },
)

onEachEngine('[STORE-62] a call is read only when no earlier write can still be on its way', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  await store.recordedCalls.write([aRecordedCall()])

  expect(await allItems(store.recordedCalls.since('acme', start))).toEqual([])
  clock.advance(minuteMs)
  expect(await allItems(store.recordedCalls.since('acme', start))).toHaveLength(1)
})

onEachEngine('[STORE-63] calls older than the retention are deleted, of one tenant', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  await store.recordedCalls.write([aRecordedCall(), aRecordedCall({ tenant: 'other' })])
  clock.advance(minuteMs)
  const young = aRecordedCall()
  await store.recordedCalls.write([young])

  expect(await store.recordedCalls.deleteOlderThan('acme', minuteMs - 1)).toBe(1)

  expect((await read(store)).map(({ id }) => id)).toEqual([young.id])
  expect(await allItems(store.recordedCalls.since('other', start, 0))).toHaveLength(1)
})
