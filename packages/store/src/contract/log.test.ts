// The transparency log: committed entries get one place each, in order, whichever process integrates them and however late they commit.

import { type AuditEntry, createKeyRing, saltedDigest, type TreeHead } from '@assent/core'
import { expect, test } from 'vitest'
import { hasServices } from '../../../../test-kit/services.ts'
import type { Integrated, Store } from '../index.ts'
import { accept, aForm, anApproval, ann, ben, inEurope } from './drafts.suite.ts'
import { onEachEngine, onPostgres } from './engines.suite.ts'

const tenant = 'acme'
const salt = '00112233445566778899aabbccddeeff'

async function logOf(store: Store): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  for await (const entry of store.audit.entries(tenant)) entries.push(entry)
  return entries
}

/** SQL that writes an entry as the store does. */
function inserting(kind: string, subject: string, counter = 0): string {
  const digest = saltedDigest(Buffer.from(salt, 'hex'), '{}')
  return `insert into audit_entries (tenant, at, kind, subject, counter, digest, salt, body)
    values ('${tenant}', 1, '${kind}', '${subject}', ${counter}, '${digest}', '${salt}', '{}')`
}

const onPostgresOnly = (title: string, run: Parameters<typeof onPostgres>[0]) =>
  test.skipIf(!hasServices)(`${title} (PostgreSQL)`, () => onPostgres(run))

onPostgresOnly('[TLOG-7] an entry whose transaction began first and commits last is not skipped', async (db) => {
  const store = await db.open()
  await db.tamper('begin')
  await db.tamper(inserting('note', 'late'))
  for (const subject of ['one', 'two']) {
    await store.audit.append(tenant, [{ subject, body: {} }])
    await store.audit.integrate(tenant)
  }
  expect((await logOf(store)).map(({ subject }) => subject)).toEqual(['one', 'two'])
  await store.audit.append(tenant, [{ subject: 'three', body: {} }])
  await db.tamper('commit')

  expect((await logOf(store)).map(({ subject }) => subject)).toEqual(['one', 'two', 'late', 'three'])
  expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 4 })
})

onPostgresOnly('[TLOG-8] entries about one ask are in the order of its changes, not of transactions', async (db) => {
  const store = await db.open()
  const { id } = await store.asks.raise(anApproval(['person:ann', 'person:ben'], 2))
  await db.tamper('begin')
  // This transaction has a lower number than the one that changes the ask first.
  await db.tamper('select pg_current_xact_id()')
  await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })
  await db.tamper(`update asks set log_counter = log_counter + 1 where id = '${id}'`)
  await db.tamper(inserting('ask.undelivered', id, 3))
  await db.tamper('commit')
  await store.asks.answer({ tenant, id, person: ben, via: 'inbox', answer: accept })

  expect((await logOf(store)).map(({ counter }) => counter)).toEqual([1, 2, 3, 4])
})

onPostgresOnly('[TLOG-9] the change feed has each change once, also one that is committed late', async (db) => {
  const store = await db.open()
  const { id } = await store.asks.raise(aForm())
  const start = await store.changes.last(tenant)
  const read = async (position: string) => {
    const { changes, position: next } = await store.changes.since(tenant, ['person:ann'], position, 100)
    return { moves: changes.map(({ move }) => move), next }
  }
  await db.tamper('begin')
  await db.tamper(inserting('ask.voted', id))
  await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })
  const first = await read(start)
  await db.tamper('commit')
  const second = await read(first.next)

  expect([first.moves, second.moves]).toEqual([['settled'], ['voted']])
  expect((await read(second.next)).moves).toEqual([])
})

onPostgresOnly('[TLOG-9] pages of the change feed neither skip nor repeat while others write', async (db) => {
  const store = await db.open()
  for (let n = 0; n < 5; n++) await store.asks.raise(aForm())
  const ids: string[] = []
  let [position, more] = ['0', true]
  while (more) {
    const page = await store.changes.since(tenant, ['person:ann'], position, 2)
    ids.push(...page.changes.map(({ id }) => id))
    if (ids.length < 10) await store.asks.raise(aForm())
    ;[position, more] = [page.position, page.more]
  }
  const all = await store.changes.since(tenant, ['person:ann'], '0', 1_000)
  expect(ids.toSorted()).toEqual(all.changes.map(({ id }) => id).toSorted())
})

onPostgresOnly(
  '[TLOG-13] a database that was restored elsewhere integrates the entries that have no place',
  async (db) => {
    const store = await db.open()
    await store.asks.raise(aForm())
    await store.audit.integrate(tenant)
    // Transaction numbers of the new server are lower than those that were stored.
    await db.tamper(`update log_heads set position = '900000000000:900000000000:'`)
    await store.asks.raise(aForm())
    expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
    await store.asks.raise(aForm())
    expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 3 })
  },
)

onPostgresOnly('[TLOG-13] entries of a server with higher transaction numbers are new only once', async (db) => {
  const store = await db.open()
  const { id } = await store.asks.raise(aForm())
  await store.audit.integrate(tenant)
  await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })
  // As they are after a restore on a new server, which counts transactions from the beginning.
  await db.tamper(`update audit_entries set xid = '900000000000'`)
  await db.tamper(`update log_heads set position = '900000000000:900000000000:'`)

  expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
  await store.asks.raise(aForm())
  expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 3 })
  const last = await store.changes.last(tenant)
  expect((await store.changes.since(tenant, ['person:ann'], last, 100)).changes).toEqual([])

  // This server reaches the numbers of the restored entries.
  await db.tamper(`update audit_entries set xid = pg_current_xact_id() where xid = '900000000000'`)
  expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 3 })
})

onPostgresOnly('[TLOG-10] a transaction that stays open delays no decision and no other entry', async (db) => {
  const store = await db.open()
  await db.tamper('begin')
  await db.tamper(inserting('note', 'open'))
  const { id } = await store.asks.raise(aForm())
  expect(await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })).toMatchObject({
    kind: 'settled',
  })
  expect((await store.audit.proof(tenant, id))?.entries).toHaveLength(2)
  await db.tamper('rollback')
  expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
})

onEachEngine('[TLOG-8] sequencers at once sign one history, and each entry has one place', async ({ open }) => {
  const stores = [await open(), await open(), await open()] as const
  const heads: TreeHead[] = []
  const work = stores.map(async (store) => {
    for (let n = 0; n < 12; n++) {
      const { id } = await store.asks.raise(aForm())
      heads.push(await store.audit.integrate(tenant))
      await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })
    }
  })
  await Promise.all(work)

  const verdict = await stores[0].record.verify(
    tenant,
    heads.filter(({ size }) => size > 0),
  )
  expect(verdict).toMatchObject({ ok: true, lastSeq: 72, asks: 36 })
  const subjects = (await logOf(stores[1])).map(({ subject, counter }) => `${subject} ${counter}`)
  expect(new Set(subjects).size).toBe(72)
})

onEachEngine('[TLOG-8] places, tiles and checkpoint are stored together or not at all', async ({ open, tamper }) => {
  const store = await open()
  const notes = Array.from({ length: 300 }, (_, at) => ({ subject: `n${at}`, body: {} }))
  await store.audit.append(tenant, notes)
  // The second tile cannot be stored.
  await tamper('create unique index in_the_way on log_tiles (tenant)')
  await expect(store.audit.integrate(tenant)).rejects.toThrow()
  expect(await tamper('select place from log_index')).toEqual([])
  expect(await tamper('select level from log_tiles')).toEqual([])
  expect(await tamper('select checkpoint from log_heads')).toEqual([{ checkpoint: '' }])
  await tamper('drop index in_the_way')
  expect(await store.audit.integrate(tenant)).toMatchObject({ size: 300 })
  expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 300 })
})

onEachEngine('[TLOG-12] a log whose head was changed is not extended', async ({ open, tamper }) => {
  const store = await open()
  await store.asks.raise(aForm())
  await store.audit.integrate(tenant)
  for (const change of ['size = 0', `root = '${'A'.repeat(43)}='`, `checkpoint = ''`, `origin = 'other'`]) {
    await tamper('create table kept as select * from log_heads')
    await tamper(`update log_heads set ${change}`)
    await store.asks.raise(aForm())
    await expect((await open()).audit.integrate(tenant)).rejects.toMatchObject({ code: 'log_unusable' })
    await tamper('delete from log_heads')
    await tamper('insert into log_heads select * from kept')
    await tamper('drop table kept')
  }
  const other = await open({ keys: createKeyRing([{ id: 'test', secret: new Uint8Array(32).fill(8) }]) })
  await expect(other.audit.integrate(tenant)).rejects.toMatchObject({ code: 'log_unusable' })
  expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 5 })
})

onEachEngine('[TLOG-10] a sequencer adds entries of every process, and another one takes over', async ({ open }) => {
  const integrated: Integrated[] = []
  const onIntegrated = (one: Integrated) => integrated.push(one)
  const [first, second] = [await open({ onIntegrated }), await open({ onIntegrated })]
  const errors: unknown[] = []
  const sequencers = [first, second].map((store) => store.startSequencer([tenant], (error) => errors.push(error)))
  const sum = () => integrated.reduce((total, { entries }) => total + entries, 0)
  await second.asks.raise(aForm())
  await expect.poll(sum).toBe(1)
  await sequencers[0]?.stop()
  await first.asks.raise(aForm())
  await expect.poll(sum).toBe(2)
  // What is written before a process stops is added, even if no other process runs.
  await first.asks.raise(aForm())
  await sequencers[1]?.stop()
  await expect.poll(sum).toBe(3)
  expect(errors).toEqual([])
  expect(integrated.every(({ delayMs }) => delayMs >= 0)).toBe(true)
})

onEachEngine('[TLOG-12] a row of the index outside the log hides no entry', async ({ open, tamper }) => {
  const store = await open()
  await store.asks.raise(aForm())
  expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 1 })
  const [last] = (await tamper('select max(id) as id from audit_entries')) as { id: number }[]
  const next = Number(last?.id) + 1
  for (const place of [1_000_000, -1]) {
    await tamper(`insert into log_index (tenant, place, entry_id, hash) values ('${tenant}', ${place}, ${next}, '')`)
    expect(await store.audit.verify(tenant)).toMatchObject({ ok: false, problem: expect.stringContaining('index') })
    await tamper(`delete from log_index where place = ${place}`)
  }
  await tamper(`insert into log_index (tenant, place, entry_id, hash) values ('${tenant}', 1000000, ${next}, '')`)
  await store.asks.raise(aForm())
  await expect(store.audit.integrate(tenant)).rejects.toMatchObject({ code: 'log_unusable' })
  await tamper('delete from log_index where place = 1000000')
  expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
})

onEachEngine(
  '[TLOG-12] a log of which only the head was set back to an earlier checkpoint is reported',
  async ({ open, tamper }) => {
    const store = await open()
    await store.asks.raise(aForm())
    await store.audit.integrate(tenant)
    await tamper('create table kept as select * from log_heads')
    await store.asks.raise(aForm())
    await store.audit.integrate(tenant)
    await tamper('delete from log_heads')
    await tamper('insert into log_heads select * from kept')

    expect(await (await open()).audit.verify(tenant)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('index'),
    })
  },
)

onEachEngine('[TLOG-12] the log of one tenant does not sign with the name of another', async ({ open, tamper }) => {
  const store = await open()
  await store.asks.raise(aForm())
  await store.audit.integrate(tenant)
  await tamper(`insert into log_heads (tenant, origin, size, root, checkpoint, signed_at, position)
    select 'other', origin, 0, '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', '', 0, '0' from log_heads`)
  await store.audit.append('other', [{ subject: 'forged', body: {} }])

  await expect(store.audit.integrate('other')).rejects.toMatchObject({ code: 'log_unusable' })
})

onEachEngine('[TLOG-10] a lease that is longer than any that is given does not count', async ({ open, tamper }) => {
  const integrated: Integrated[] = []
  const store = await open({ onIntegrated: (one) => void integrated.push(one) })
  await store.asks.raise(aForm())
  await store.audit.integrate(tenant)
  await tamper(`update log_heads set sequencer = 'gone', lease_until = 9000000000000000`)
  await store.asks.raise(aForm())
  const sequencer = store.startSequencer([tenant], () => undefined)
  await expect.poll(() => integrated.length).toBe(2)
  await sequencer.stop()
})

onPostgresOnly('[TLOG-9] a position that PostgreSQL does not read leads to the beginning', async (db) => {
  const store = await db.open()
  await store.asks.raise(aForm())
  await store.audit.integrate(tenant)
  for (const position of ['5:3:', '0:5:', '1:9:3,2', 'x']) {
    await db.tamper(`update log_heads set position = '${position}'`)
    await store.asks.raise(aForm())
    expect(await store.audit.verify(tenant)).toMatchObject({ ok: true })
  }
  expect((await logOf(store)).length).toBe(5)
})

onPostgresOnly('[TLOG-10] many entries are added to the log although the database has no statistics', async (db) => {
  const store = await db.open()
  await store.audit.append(tenant, [{ subject: 'first', body: {} }])
  await db.tamper(`insert into audit_entries (tenant, at, kind, subject, counter, digest)
    select '${tenant}', 1, 'note', 'n' || n, 0, 'sha256:${'0'.repeat(64)}' from generate_series(1, 12000) n`)

  expect(await store.audit.integrate(tenant)).toMatchObject({ size: 12_001 })
})
