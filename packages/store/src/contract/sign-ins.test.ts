import { expect } from 'vitest'
import { minuteMs, noon } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const ann = { principal: 'https://login.example#ann', groups: ['ops', 'dev'] }
const ben = { principal: 'ben', groups: [] }
const common = { tenant: 'acme', keepMs: 60 * minuteMs, atMost: 10, atMostOfOne: 5 }
const aLink = (code: string, person = ann) => ({ tenant: 'acme', code, person, keepMs: 10 * minuteMs, atMost: 3 })
const aLogin = (login: string, token: string, person = ann) => ({ ...common, login, token, person, name: 'Ann Lee' })

onEachEngine('[STORE-30] of concurrent redemptions of a link in several processes, one succeeds', async ({ open }) => {
  const stores = await Promise.all([open(), open()])
  expect(await stores[0]?.signIns.addLink(aLink('code'))).toBe(true)

  const begun = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      stores[n % 2]?.signIns.redeem({ ...common, code: 'code', token: `token-${n}` }),
    ),
  )

  expect(begun.filter((one) => one === 'begun')).toHaveLength(1)
  expect(begun.filter((one) => one === 'used')).toHaveLength(39)
  const winner = `token-${begun.indexOf('begun')}`
  for (const store of stores) expect(await store.signIns.readSession('acme', winner)).toMatchObject({ person: ann })
  for (let n = 0; n < 40; n++) {
    if (`token-${n}` !== winner) expect(await stores[0]?.signIns.readSession('acme', `token-${n}`)).toBeUndefined()
  }
})

onEachEngine(
  '[STORE-30] a login at an issuer starts one session, even after that session was ended',
  async ({ open }) => {
    const stores = await Promise.all([open(), open()])
    const begun = await Promise.all(
      Array.from({ length: 20 }, (_, n) => stores[n % 2]?.signIns.begin(aLogin('login', `token-${n}`))),
    )
    expect(begun.filter((one) => one === 'begun')).toHaveLength(1)
    expect(begun.filter((one) => one === 'used')).toHaveLength(19)
    const [store] = stores
    const token = `token-${begun.indexOf('begun')}`
    expect(await store?.signIns.readSession('acme', token)).toMatchObject({ person: ann, name: 'Ann Lee' })

    expect(await store?.signIns.end('acme', token)).toBe(true)
    expect(await store?.signIns.begin(aLogin('login', 'again'))).toBe('used')
    expect(await store?.signIns.readSession('acme', 'again')).toBeUndefined()
  },
)

onEachEngine(
  '[STORE-30] links and sessions expire by the clock of the store, and a sweep deletes them',
  async ({ open, tamper }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    await store.signIns.addLink(aLink('first'))
    await store.signIns.addLink(aLink('second'))
    clock.advance(10 * minuteMs - 1)
    expect(await store.signIns.redeem({ ...common, code: 'first', token: 'token' })).toBe('begun')
    clock.advance(1)
    expect(await store.signIns.redeem({ ...common, code: 'second', token: 'other' })).toBe('used')
    expect(await store.signIns.readSession('acme', 'token')).toEqual({
      person: ann,
      begunAtMs: noon + 10 * minuteMs - 1,
      expiresAtMs: noon + 10 * minuteMs - 1 + 60 * minuteMs,
    })
    expect(await store.sweep()).toMatchObject({ deleted: 2 })

    clock.advance(60 * minuteMs - 2)
    expect(await store.signIns.readSession('acme', 'token')).toBeDefined()
    clock.advance(1)
    expect(await store.signIns.readSession('acme', 'token')).toBeUndefined()
    expect(await store.sweep()).toMatchObject({ deleted: 1 })
    expect(await tamper('select hash from sessions union all select hash from sign_in_links')).toEqual([])
  },
)

onEachEngine('[STORE-30] a session ends for every process, and no other session ends', async ({ open }) => {
  const [here, there] = [await open(), await open()]
  await here.signIns.begin(aLogin('a', 'mine'))
  await here.signIns.begin(aLogin('b', 'also mine'))

  expect(await there.signIns.end('umbrella', 'mine')).toBe(false)
  expect(await there.signIns.end('acme', 'mine')).toBe(true)
  expect(await there.signIns.end('acme', 'mine')).toBe(false)

  expect(await here.signIns.readSession('acme', 'mine')).toBeUndefined()
  expect(await here.signIns.readSession('acme', 'also mine')).toBeDefined()
})

onEachEngine(
  '[STORE-30] links and sessions are limited: a new one is refused, and no existing one is dropped',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    for (const code of ['a', 'b', 'c']) expect(await store.signIns.addLink(aLink(code))).toBe(true)
    expect(await store.signIns.addLink(aLink('d'))).toBe(false)
    expect(await store.signIns.redeem({ ...common, code: 'd', token: 'd' })).toBe('used')
    expect(await store.signIns.redeem({ ...common, code: 'a', token: 'one' })).toBe('begun')
    expect(await store.signIns.addLink(aLink('e'))).toBe(true)

    const few = { ...common, atMostOfOne: 1 }
    expect(await store.signIns.redeem({ ...few, code: 'b', token: 'two' })).toBe('too-many')
    expect(await store.signIns.begin({ ...aLogin('x', 'two'), atMostOfOne: 1 })).toBe('too-many')
    expect(await store.signIns.begin({ ...aLogin('y', 'ben', ben), atMostOfOne: 1 })).toBe('begun')
    expect(await store.signIns.begin({ ...aLogin('z', 'three'), atMost: 2 })).toBe('too-many')
    // A link that was refused because of a limit is not used up.
    expect(await store.signIns.redeem({ ...common, code: 'b', token: 'two' })).toBe('begun')
    expect(await store.signIns.readSession('acme', 'one')).toBeDefined()

    clock.advance(60 * minuteMs)
    expect(await store.signIns.begin({ ...aLogin('late', 'late'), atMost: 1, atMostOfOne: 1 })).toBe('begun')
  },
)

onEachEngine('[STORE-11] [STORE-30] a link and a session are valid only in their own tenant', async ({ open }) => {
  const store = await open()
  await store.signIns.addLink(aLink('code'))
  expect(await store.signIns.redeem({ ...common, tenant: 'umbrella', code: 'code', token: 'token' })).toBe('used')
  expect(await store.signIns.redeem({ ...common, code: 'code', token: 'token' })).toBe('begun')
  expect(await store.signIns.readSession('umbrella', 'token')).toBeUndefined()
  expect(await store.signIns.readSession('acme', 'token')).toBeDefined()
})

onEachEngine('[STORE-30] no table contains a code, a token or a login, only their hashes', async ({ open, tamper }) => {
  const store = await open()
  const secrets = ['the-code-of-a-link', 'the-token-of-a-session', 'the-secret-of-a-login', 'another-token']
  const [code = '', token = '', login = '', other = ''] = secrets
  await store.signIns.addLink(aLink(code))
  await store.signIns.redeem({ ...common, code, token })
  await store.signIns.begin(aLogin(login, other))

  const rows = JSON.stringify([
    await tamper('select * from sign_in_links'),
    await tamper('select * from sessions'),
    await tamper('select * from audit_entries'),
  ])

  expect(rows).toContain('ann')
  for (const secret of secrets) expect(rows).not.toContain(secret)
})

onEachEngine('[STORE-30] the name of a person is available for a month after their last session', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  await store.signIns.begin({ ...aLogin('a', 'one'), name: 'Ann' })
  clock.advance(1)
  await store.signIns.begin({ ...aLogin('b', 'two'), name: 'Ann Lee' })
  const { name: _, ...nameless } = aLogin('c', 'three')
  await store.signIns.begin(nameless)
  expect(await store.signIns.nameOf('acme', ann.principal)).toBe('Ann Lee')
  expect(await store.signIns.nameOf('umbrella', ann.principal)).toBeUndefined()
  expect(await store.signIns.nameOf('acme', 'Ann Lee')).toBeUndefined()

  clock.advance(60 * minuteMs)
  expect(await store.sweep()).toMatchObject({ deleted: 1 })
  expect(await store.signIns.readSession('acme', 'two')).toBeUndefined()
  expect(await store.signIns.nameOf('acme', ann.principal)).toBe('Ann Lee')
  clock.advance(30 * 24 * 60 * minuteMs)
  expect(await store.sweep()).toMatchObject({ deleted: 2 })
  expect(await store.signIns.nameOf('acme', ann.principal)).toBeUndefined()
})

onEachEngine('[STORE-30] an unknown token is not a session', async ({ open, tamper }) => {
  const store = await open()
  await store.signIns.begin(aLogin('login', 'token'))
  const [row] = (await tamper('select hash from sessions')) as [{ hash: string }]
  for (const guess of ['', 'Token', 'token ', row.hash, 'login', "' or 1=1 --"]) {
    expect(await store.signIns.readSession('acme', guess)).toBeUndefined()
  }
})

onEachEngine(
  '[STORE-30] a session stores the key of its browser, and all sessions of one port can be ended at once',
  async ({ open }) => {
    const [store, other] = [await open(), await open()]
    const browserAt = (port: number) => ({ publicKey: `key-${port}`, listenerSecret: 'secret', port })
    for (const [code, port] of [
      ['one', 7421],
      ['two', 7421],
      ['three', 7422],
    ] as const) {
      await store.signIns.addLink(aLink(code))
      expect(await store.signIns.redeem({ ...common, code, token: code, browser: browserAt(port) })).toBe('begun')
    }
    await store.signIns.addLink(aLink('four'))
    expect(await store.signIns.redeem({ ...common, code: 'four', token: 'four' })).toBe('begun')
    expect((await other.signIns.readSession('acme', 'one'))?.browser).toEqual(browserAt(7421))
    expect((await other.signIns.readSession('acme', 'four'))?.browser).toBeUndefined()

    expect(await other.signIns.endSessionsAt('acme', 7421)).toBe(2)
    expect(await other.signIns.endSessionsAt('globex', 7422)).toBe(0)

    for (const token of ['one', 'two']) expect(await store.signIns.readSession('acme', token)).toBeUndefined()
    for (const token of ['three', 'four']) expect(await store.signIns.readSession('acme', token)).toBeDefined()
  },
)
