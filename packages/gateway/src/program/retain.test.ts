// `assent retain`, with a store in a file. The role that it needs on PostgreSQL: see the store.

import { join } from 'node:path'
import { openSqlite, type Store } from '@assent/store'
import { expect, test } from 'vitest'
import { anAsk } from '../inbox/inbox-env.suite.ts'
import { aFolder, assentHere } from './process.suite.ts'
import { localKeyRing } from './state.ts'

const dayMs = 24 * 60 * 60 * 1_000
const base = 'store: sqlite:./assent.db\nservers: { files: { command: my-server } }\n'
const identity = 'identity: { issuer: https://login.example, audience: https://assent.example/mcp }\n'
const ann = 'https://login.example#ann'

/** A store with an ask that ended long ago, and commands on it. */
async function aStore(settings: string, principal = 'local') {
  const folder = await aFolder({ 'assent.yaml': `${base}${settings}` })
  const path = join(folder, 'assent.db')
  const clock = { ms: Date.now() - 10 * dayMs }
  const use = async <T>(act: (store: Store) => Promise<T>) => {
    const store = await openSqlite(path, { keys: localKeyRing(path), clock: () => clock.ms })
    try {
      return await act(store)
    } finally {
      await store.close()
    }
  }
  const approvalRule = { approvers: [`person:${principal}`], excluded: [], approvals: 1, declines: 1 } as const
  const raise = () =>
    use(async (store) => {
      const { id } = await store.asks.raise(anAsk({ tenant: 'default', principal, approvalRule }))
      return id
    })
  const old = await raise()
  await use((store) => store.asks.withdraw('default', old, 'unseen'))
  clock.ms = Date.now()
  const open = await raise()
  const retain = (...words: string[]) => assentHere(['retain', '-c', join(folder, 'assent.yaml'), ...words])
  const left = () => use(async (store) => Promise.all([old, open].map((id) => store.asks.read('default', id))))
  const verified = () => use((store) => store.record.verify('default'))
  return { retain, left, verified }
}

test('[RETAIN-8] `assent retain` erases what `retention` no longer keeps', async () => {
  const { retain, left, verified } = await aStore('retention: { answers: 7d }\n')

  expect(await retain('--dry-run')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Would erase the texts of 1 ask and 0 notes of the audit log, and delete 0 asks'),
  })
  expect((await left())[0]).toBeDefined()
  expect(await retain()).toMatchObject({ code: 0, out: expect.stringContaining('Erased the texts of 1 ask') })
  expect(await left()).toEqual([undefined, expect.objectContaining({ state: { kind: 'open' } })])
  expect(await verified()).toMatchObject({ ok: true, asks: 2, erased: 2 })
  expect(await retain()).toMatchObject({ code: 0, out: expect.stringContaining('Erased the texts of 0 asks') })
})

test('[RETAIN-8] `assent retain --person` erases the data of one person, and says what is still in use', async () => {
  const { retain, left, verified } = await aStore(identity, ann)
  const words = ['--person', 'ann']
  expect(await retain(...words, '--dry-run')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Would erase what names https:.*#ann: the texts of 1 ask,.* 1 ask is open/),
  })
  const whole = await retain('--person', ann)
  expect(whole).toMatchObject({ code: 1, err: expect.stringMatching(/the texts of 1 ask .* 1 ask is open/) })
  expect(await left()).toEqual([undefined, expect.objectContaining({ state: { kind: 'open' } })])
  expect(await verified()).toMatchObject({ ok: true, erased: 2 })
})

test('[RETAIN-8] `assent retain` refuses what it cannot do, and changes nothing', async () => {
  const { retain, left } = await aStore('')
  expect(await retain()).toMatchObject({ code: 1, err: expect.stringContaining('neither retention.answers nor') })
  expect(await retain('--person', 'ann')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Nothing was changed'),
  })
  expect(await retain('--store', 'mysql://a')).toMatchObject({ code: 2, err: expect.stringContaining('--store') })
  const limited = await aStore(
    'retention: { answers: 7d }\nkeys: { k1: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" }\n',
  )
  const away = await limited.retain('--store', 'postgres://root@127.0.0.1:1/test')
  expect(away).toMatchObject({ code: 3, err: expect.stringContaining('PostgreSQL cannot be reached') })
  expect((await left())[0]).toBeDefined()
  expect(await assentHere(['retain', '-c', '/nowhere.yaml'])).toMatchObject({ code: 1 })
})
