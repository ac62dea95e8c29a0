import { randomBytes } from 'node:crypto'
import { createKeyRing } from '@assent/core'
import { openSqlite, type Store } from '@assent/store'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../../../test-kit/close-after-test.ts'
import { openTestEnv } from '../../../../../../test-kit/gateway/test-env.ts'
import { clientLimits, relayLimits, setLimits } from '../../../limits.ts'
import { KeptCall, type KeptRound, takeOver } from './kept-calls.ts'

const keys = createKeyRing([{ id: 'k', secret: randomBytes(32) }])
const name = { principal: 'ann', session: 's', stream: 'f1a7b3c0-0000-4000-8000-000000000000' }
const round: KeptRound = {
  request: { id: 1, method: 'tools/call', params: { name: 'ask' } },
  wanted: { q: { kind: 'roots', params: {} } },
  state: { server: 'deploy', inner: null, schemas: { q: false }, isPrefixed: false },
  ids: { q: 'id.a' },
  askedAtMs: 1,
}
const reply = { jsonrpc: '2.0', id: 1, result: { content: [] } } as const
const silent = () => undefined

function partsOf(store: Store, replica: string) {
  return { store, keys, replica, tenant: 'default', askWaitMs: 60_000 }
}

async function twoProcesses() {
  const { store, path } = await openTestEnv()
  const other = await openSqlite(path, { keys })
  closeAfterTest(() => other.close())
  return { one: partsOf(store, 'one'), other: partsOf(other, 'other') }
}

const untilKept = () => new Promise((resolve) => setTimeout(resolve, clientLimits.callKeptAfterMs + 200))

test('[RUN-18] when two processes try to continue a call, only one may', async () => {
  const { one, other } = await twoProcesses()
  const own = new KeptCall(one, name, silent)
  own.asked(round)
  await untilKept()

  const found = await takeOver(other, name, silent)

  expect(found).toMatchObject({ kind: 'taken', round })
  expect(await own.mayContinue()).toBe(false)
  // This process may send nothing for the call, so it stores no reply.
  await own.ended(reply)
  expect(await takeOver(one, name, silent)).toEqual({ kind: 'elsewhere', replica: 'other' })
})

test('[RUN-18] once its own process sends the answers, no other process takes a call over', async () => {
  const { one, other } = await twoProcesses()
  const own = new KeptCall(one, name, silent)
  own.asked(round)
  await untilKept()

  expect(await own.mayContinue()).toBe(true)

  expect(await takeOver(other, name, silent)).toEqual({ kind: 'elsewhere', replica: 'one' })
  await own.ended(reply)
  expect(await takeOver(other, name, silent)).toEqual({ kind: 'ended', reply })
})

test('[RUN-18] a reply that is too large to be stored is reported as such, at any process', async () => {
  const { one, other } = await twoProcesses()
  closeAfterTest(setLimits(relayLimits, { roundOutcomeChars: 30 }))
  const own = new KeptCall(one, name, silent)
  own.asked(round)
  await untilKept()
  await own.mayContinue()

  await own.ended(reply)

  const error = expect.objectContaining({ message: expect.stringContaining('too large') })
  expect(await takeOver(other, name, silent)).toEqual({ kind: 'ended', reply: { jsonrpc: '2.0', id: 1, error } })
})

test('[RUN-18] the last round is found, no matter which process asked it', async () => {
  const { one, other } = await twoProcesses()
  const own = new KeptCall(one, name, silent)
  own.asked(round)
  await untilKept()
  await own.mayContinue()
  own.asked({ ...round, ids: { q: 'second' } })
  await untilKept()

  const taken = await takeOver(other, name, silent)
  if (taken.kind !== 'taken') throw new Error('It was not taken.')
  taken.kept.asked({ ...taken.round, ids: { q: 'third' } })
  await untilKept()

  expect(taken.round.ids).toEqual({ q: 'second' })
  expect(await own.mayContinue()).toBe(false)
  expect(await takeOver(one, name, silent)).toMatchObject({ kind: 'taken', round: { ids: { q: 'third' } } })
  expect(await taken.kept.mayContinue()).toBe(false)
})

test('[RUN-18] after a write of unknown outcome, a call is claimed before anything is sent, or not sent', async () => {
  const { one, other } = await twoProcesses()
  let isStoreDown = true
  const failingStore = {
    keep: async (call: never) => {
      await one.store.deferred.keep(call)
      // The write was applied, but its reply was lost.
      if (isStoreDown) throw new Error('The connection broke.')
      return true
    },
    claim: one.store.deferred.claim.bind(one.store.deferred),
  }
  const nowMs = () => one.store.nowMs()
  const parts = { ...one, store: { deferred: failingStore, nowMs } as unknown as Store }
  const own = new KeptCall(parts, name, silent)
  own.asked(round)
  await untilKept()

  const failing = own.mayContinue()

  await expect(failing).rejects.toThrow('The connection broke.')
  isStoreDown = false
  expect(await takeOver(other, name, silent)).toMatchObject({ kind: 'taken' })

  const again = new KeptCall(parts, { ...name, stream: 'f1a7b3c0-0000-4000-8000-000000000001' }, silent)
  isStoreDown = true
  again.asked(round)
  await untilKept()
  isStoreDown = false
  expect(await again.mayContinue()).toBe(true)
  expect(await takeOver(other, { ...name, stream: 'f1a7b3c0-0000-4000-8000-000000000001' }, silent)).toMatchObject({
    kind: 'elsewhere',
  })
})

test('[RUN-18] another session, person, key or tenant cannot take a call over', async () => {
  const { one, other } = await twoProcesses()
  new KeptCall(one, name, silent).asked(round)
  await untilKept()
  const otherKeys = createKeyRing([{ id: 'k', secret: randomBytes(32) }])

  for (const found of [
    await takeOver(other, { ...name, session: 'other' }, silent),
    await takeOver(other, { ...name, principal: 'bob' }, silent),
    await takeOver({ ...other, keys: otherKeys }, name, silent),
    await takeOver({ ...other, tenant: 'other' }, name, silent),
  ])
    expect(found).toEqual({ kind: 'lost' })
  expect(await takeOver(other, name, silent)).toMatchObject({ kind: 'taken' })
})
