// When the database is away, or breaks off in the middle, nobody is told a yes that is not kept.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openPostgres, openSqlite } from '../index.ts'
import { accept, aForm, anApproval, ann, inEurope, testKeys } from './drafts.suite.ts'
import { onPostgres, onSqlite, postgresUrl } from './engines.suite.ts'
import { overAWire } from './wire.suite.ts'

test('[STORE-15] a connection that breaks after the commit does not lose or double the decision', () =>
  overAWire(async (wire, store) => {
    const { tenant, id } = await store.asks.raise(anApproval(['person:ann'], 1))
    wire.loseReplyTo('answer_ask')

    const answered = await store.asks.answer({
      tenant,
      id,
      person: ann,
      via: 'inbox',
      answer: accept,
      decisionId: 'd1',
    })

    expect(answered).toMatchObject({ kind: 'settled', ask: { state: { decisionId: 'd1' } } })
    expect(await store.grants.read(tenant, id)).toBeDefined()
    expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
  }))

test('[STORE-15] a connection that breaks before the server heard is told as trouble, and nothing happened', () =>
  overAWire(async (wire, store) => {
    const { tenant, id } = await store.asks.raise(anApproval(['person:ann'], 1))
    wire.loseRequest('answer_ask', 2)

    const answered = store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })

    await expect(answered).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(wire.hasBroken).toBe(true)
    expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
    expect(await store.grants.read(tenant, id)).toBeUndefined()
  }))

test('[STORE-15] while the database is away nothing is a yes, and afterwards all goes on', () =>
  overAWire(async (wire, store) => {
    const { tenant, id } = await store.asks.raise(anApproval(['person:ann'], 1))
    wire.refuseConnections(true)
    const request = { tenant, id, person: ann, via: 'inbox', answer: accept } as const
    const grant = { tenant, id: 'x', digest: 'x', principal: 'ann', usedBy: 'x' }

    await expect(store.asks.answer(request)).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.asks.raise(aForm())).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.grants.use(grant)).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.grants.useState(tenant, 's', 0)).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.audit.append(tenant, [{ subject: 'x', body: {} }])).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    wire.refuseConnections(false)
    expect(await store.asks.answer(request)).toMatchObject({ kind: 'settled' })
  }))

test('[STORE-15] a database that cannot be reached is named at the start', async () => {
  await expect(openPostgres('postgres://root@127.0.0.1:1/test', { keys: testKeys })).rejects.toMatchObject({
    code: 'store_unavailable',
  })
  await expect(openPostgres(postgresUrl, { keys: testKeys, schema: 'Drop; Table' })).rejects.toMatchObject({
    code: 'misconfigured',
  })
})

test('[STORE-15] what is acknowledged is written, also where the database is set to acknowledge sooner (PostgreSQL)', () =>
  overAWire(async (wire, _, schema) => {
    const admin = new pg.Client({ connectionString: postgresUrl, options: `-c search_path=${schema}` })
    await admin.connect()
    await admin.query(`create role ${schema} superuser login`)
    await admin.query(`alter role ${schema} set synchronous_commit = off`)
    await admin.query('create table seen (value text)')
    await admin.query(
      `create function look() returns trigger language plpgsql as
       $$ begin insert into seen values (current_setting('synchronous_commit')); return new; end $$`,
    )
    await admin.query('create trigger looking before insert on asks for each row execute function look()')
    const store = await openPostgres(Object.assign(new URL(wire.url), { username: schema }).href, {
      keys: testKeys,
      schema,
    })
    try {
      await store.asks.raise(aForm())

      expect((await admin.query('select value from seen')).rows).toEqual([{ value: 'on' }])
    } finally {
      await store.close()
      await admin.query(`drop role ${schema}`)
      await admin.end()
    }
  }))

test('[STORE-15] a statement that takes too long is given up (PostgreSQL)', () =>
  onPostgres(async ({ open, tamper }) => {
    const store = await open()
    const { tenant, id } = await store.asks.raise(aForm())
    const schema = ((await tamper('select current_schema() as name')) as { name: string }[])[0]?.name ?? ''
    const hasty = await openPostgres(postgresUrl, { keys: testKeys, schema, statementTimeoutMs: 1_500 })
    const locker = new pg.Client({ connectionString: postgresUrl, options: `-c search_path=${schema}` })
    await locker.connect()
    try {
      await locker.query('begin')
      await locker.query('select * from asks for update')

      const answered = hasty.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })

      await expect(answered).rejects.toMatchObject({ code: 'store_unavailable' })
    } finally {
      await locker.end()
      await hasty.close()
    }
    expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
  }))

test('[STORE-15] a network that has gone silent is given up too, and nothing waits for it without end (PostgreSQL)', () =>
  onPostgres(async ({ open, tamper }) => {
    const store = await open()
    const { tenant, id } = await store.asks.raise(aForm())
    const schema = ((await tamper('select current_schema() as name')) as { name: string }[])[0]?.name ?? ''
    const real = new URL(postgresUrl)
    const ends: Socket[] = []
    let isSilent = false
    const server = createServer((near) => {
      const far = connect(Number(real.port), real.hostname)
      for (const end of [near, far]) end.on('error', () => undefined)
      ends.push(near, far)
      near.on('data', (bytes) => void (isSilent || far.write(bytes)))
      far.on('data', (bytes) => void (isSilent || near.write(bytes)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const wired = new URL(postgresUrl)
    wired.port = String((server.address() as AddressInfo).port)
    const hasty = await openPostgres(wired.href, {
      keys: testKeys,
      schema,
      // Long enough for a busy machine to connect at all.
      statementTimeoutMs: 2_000,
      connectTimeoutMs: 2_000,
    })
    try {
      await hasty.asks.read(tenant, id)
      isSilent = true

      const answered = hasty.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })

      await expect(answered).rejects.toMatchObject({ code: 'store_unavailable' })
    } finally {
      server.close()
      for (const end of ends) end.destroy()
      await hasty.close()
    }
    expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
  }))

test('[STORE-15] a file that another process keeps locked is told as trouble, and nothing happened (SQLite)', () =>
  onSqlite(async ({ open, path }) => {
    const patient = await open()
    const { tenant, id } = await patient.asks.raise(aForm())
    const hasty = await openSqlite(path, { keys: testKeys, busyTimeoutMs: 50 })
    const locker = new DatabaseSync(path)
    try {
      locker.exec('begin immediate')

      const answered = hasty.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })

      await expect(answered).rejects.toMatchObject({ code: 'store_unavailable' })
      locker.exec('rollback')
    } finally {
      locker.close()
      await hasty.close()
    }
    expect((await patient.asks.read(tenant, id))?.state.kind).toBe('open')
  }))
