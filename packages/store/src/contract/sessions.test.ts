import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { minuteMs } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const record = { revision: '2025-11-25', client: '{"info":{"name":"Ünïcode"}}', owner: 'a' }
const limits = { keepMs: 30 * minuteMs, perPrincipal: 10 }

function aSession(principal = 'ann') {
  return { tenant: 'acme', id: randomUUID(), principal }
}

onEachEngine('[STORE-19] a session can be read in every process, only by its principal', async ({ open }) => {
  const [here, there] = [await open(), await open()]
  const session = aSession()
  await here.sessions.begin(session, record, limits)

  expect(await there.sessions.read(session)).toEqual(record)
  for (const other of [{ principal: 'ben' }, { tenant: 'other' }, { id: randomUUID() }]) {
    const stranger = { ...session, ...other }
    expect(await there.sessions.read(stranger)).toBeUndefined()
    expect(await there.sessions.extend(stranger, minuteMs)).toBeUndefined()
    expect(await there.sessions.end(stranger)).toBe(false)
  }
  expect(await here.sessions.read(session)).toEqual(record)
})

onEachEngine('[STORE-19] a session ends for every process, once', async ({ open }) => {
  const [here, there] = [await open(), await open()]
  const session = aSession()
  await here.sessions.begin(session, record, limits)

  expect(await there.sessions.end(session)).toBe(true)
  expect(await here.sessions.end(session)).toBe(false)
  expect(await here.sessions.read(session)).toBeUndefined()
  expect(await here.sessions.extend(session, minuteMs)).toBeUndefined()
})

onEachEngine(
  '[STORE-20] a session moves to another owner once, only from the owner that was read',
  async ({ open }) => {
    const [here, there] = [await open(), await open()]
    const session = aSession()
    await here.sessions.begin(session, record, limits)

    expect(await there.sessions.move({ ...session, principal: 'ben' }, 'b', 'a')).toBe(false)
    const moves = [here.sessions.move(session, 'b', 'a'), there.sessions.move(session, 'c', 'a')]
    expect((await Promise.all(moves)).filter(Boolean)).toHaveLength(1)
    const moved = await here.sessions.read(session)
    expect(moved).toMatchObject({ ...record, owner: expect.stringMatching(/^[bc]$/), movedFrom: 'a' })
    expect(await there.sessions.extend(session, minuteMs)).toBe(moved?.owner)
    expect(await there.sessions.move(session, 'd', 'a')).toBe(false)
  },
)

onEachEngine('[STORE-19] a session expires unless it is extended, and cannot be revived', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const session = aSession()
  await store.sessions.begin(session, record, limits)

  clock.advance(20 * minuteMs)
  expect(await store.sessions.extend(session, limits.keepMs)).toBe('a')
  clock.advance(20 * minuteMs)
  expect(await store.sessions.read(session)).toEqual(record)
  clock.advance(10 * minuteMs)
  expect(await store.sessions.read(session)).toBeUndefined()
  expect(await store.sessions.extend(session, limits.keepMs)).toBeUndefined()
  clock.advance(2 * 24 * 60 * minuteMs)
  expect((await store.sweep()).deleted).toBe(1)
})

onEachEngine('[STORE-19] the sessions of one principal are limited across all processes', async ({ open }) => {
  const [here, there] = [await open(), await open()]
  const few = { ...limits, perPrincipal: 2 }
  const first = aSession()
  await here.sessions.begin(first, record, few)
  await there.sessions.begin(aSession(), record, few)

  expect(await here.sessions.begin(aSession(), record, few)).toBe(false)
  expect(await here.sessions.begin(aSession('ben'), record, few)).toBe(true)
  await there.sessions.end(first)
  expect(await here.sessions.begin(aSession(), record, few)).toBe(true)
})

onEachEngine(
  '[STORE-19] the settings of a session can be read in every process, only by its principal',
  async ({ open }) => {
    const clock = stoppedClock()
    const [here, there] = [await open({ clock }), await open({ clock })]
    const session = aSession()
    await here.sessions.begin(session, record, limits)
    const set = (name: string, request: string) => here.sessions.keepSetting(session, { name, request }, 2)

    expect(await set('level', 'debug')).toBe(true)
    clock.advance(1)
    expect(await set('watch a', 'a')).toBe(true)
    clock.advance(1)
    expect(await set('level', 'error')).toBe(true)
    expect(await set('watch b', 'b')).toBe(false)

    expect(await there.sessions.settings(session)).toEqual(['a', 'error'])
    const stranger = { ...session, principal: 'ben' }
    expect(await there.sessions.settings(stranger)).toEqual([])
    expect(await there.sessions.keepSetting(stranger, { name: 'level', request: 'mine' }, 2)).toBe(false)
    await there.sessions.removeSetting(stranger, 'level')
    await there.sessions.removeSetting(session, 'watch a')
    expect(await here.sessions.settings(session)).toEqual(['error'])
  },
)

onEachEngine('[STORE-19] the settings of a session end with it', async ({ open }) => {
  const store = await open()
  const [ended, other] = [aSession(), aSession()]
  for (const session of [ended, other]) {
    await store.sessions.begin(session, record, limits)
    await store.sessions.keepSetting(session, { name: 'level', request: 'debug' }, 2)
  }
  await store.sessions.end(ended)

  expect(await store.sessions.settings(ended)).toEqual([])
  expect((await store.sweep()).deleted).toBe(1)
  expect(await store.sessions.settings(other)).toEqual(['debug'])
})
