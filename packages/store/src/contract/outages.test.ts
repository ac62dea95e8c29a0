// While the database is unavailable, or a connection breaks, no approval is reported that is not stored.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { expect, test } from 'vitest'
import { retried } from '../../../../test-kit/retried.ts'
import { openPostgres, openSqlite } from '../index.ts'
import { accept, aForm, anApproval, ann, inEurope, testKeys } from './drafts.suite.ts'
import { onPostgres, onSqlite, postgresUrl } from './engines.suite.ts'
import { overTcpProxy } from './tcp-proxy.suite.ts'

test('[STORE-15] a connection that breaks after the commit does not lose or double the decision', () =>
  overTcpProxy(async (proxy, store) => {
    const { tenant, id } = await store.asks.raise(anApproval(['person:ann'], 1))
    proxy.loseReplyTo('answer_ask')

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

test('[STORE-15] a connection that breaks before the server received the answer is an error, and nothing happened', () =>
  overTcpProxy(async (proxy, store) => {
    const { tenant, id } = await store.asks.raise(anApproval(['person:ann'], 1))
    proxy.loseRequest('answer_ask', 2)

    const answered = store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })

    await expect(answered).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(proxy.hasBroken).toBe(true)
    expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
    expect(await store.grants.read(tenant, id)).toBeUndefined()
  }))

test('[STORE-15] while the database is unavailable nothing is approved, and afterwards everything works again', () =>
  overTcpProxy(async (proxy, store) => {
    const { tenant, id } = await store.asks.raise(anApproval(['person:ann'], 1))
    proxy.refuseConnections(true)
    const request = { tenant, id, person: ann, via: 'inbox', answer: accept } as const
    const grant = { tenant, id: 'x', digest: 'x', principal: 'ann', usedBy: 'x' }

    await expect(store.asks.answer(request)).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.asks.raise(aForm())).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.grants.use(grant)).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.grants.useState(tenant, 's', 0)).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.audit.append(tenant, [{ subject: 'x', body: {} }])).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    proxy.refuseConnections(false)
    // The store may need a moment to find out.
    expect(await retried(() => store.asks.answer(request))).toMatchObject({ kind: 'settled' })
  }))

test('[STORE-15] opening a database that cannot be reached fails with an error', async () => {
  await expect(openPostgres('postgres://root@127.0.0.1:1/test', { keys: testKeys })).rejects.toMatchObject({
    code: 'store_unavailable',
  })
  await expect(openPostgres(postgresUrl, { keys: testKeys, schema: 'Drop; Table' })).rejects.toMatchObject({
    code: 'misconfigured',
  })
})

test('[STORE-15] an acknowledged commit is written, even if the database is set to acknowledge earlier (PostgreSQL)', () =>
  overTcpProxy(async (proxy, _, schema) => {
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
    const store = await openPostgres(Object.assign(new URL(proxy.url), { username: schema }).href, {
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

test('[STORE-15] a statement that takes too long times out (PostgreSQL)', () =>
  onPostgres(async ({ open, tamper }) => {
    const store = await open()
    const { tenant, id } = await store.asks.raise(aForm())
    const schema = ((await tamper('select current_schema() as name')) as { name: string }[])[0]?.name ?? ''
    const limited = await openPostgres(postgresUrl, { keys: testKeys, schema, statementTimeoutMs: 1_500 })
    const locker = new pg.Client({ connectionString: postgresUrl, options: `-c search_path=${schema}` })
    await locker.connect()
    try {
      await locker.query('begin')
      await locker.query('select * from asks for update')

      const answered = limited.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })

      await expect(answered).rejects.toMatchObject({ code: 'store_unavailable' })
    } finally {
      await locker.end()
      await limited.close()
    }
    expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
  }))

test('[STORE-15] a statement times out if the network stops responding (PostgreSQL)', () =>
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
    const proxied = new URL(postgresUrl)
    proxied.port = String((server.address() as AddressInfo).port)
    const limited = await openPostgres(proxied.href, {
      keys: testKeys,
      schema,
      // Long enough to connect on a busy machine.
      statementTimeoutMs: 10_000,
      connectTimeoutMs: 10_000,
    })
    try {
      await limited.asks.read(tenant, id)
      isSilent = true

      const answered = limited.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })

      await expect(answered).rejects.toMatchObject({ code: 'store_unavailable' })
    } finally {
      server.close()
      for (const end of ends) end.destroy()
      await limited.close()
    }
    expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
  }))

test('[STORE-15] a file that another process keeps locked is an error, and nothing happened (SQLite)', () =>
  onSqlite(async ({ open, path }) => {
    const store = await open()
    const { tenant, id } = await store.asks.raise(aForm())
    const limited = await openSqlite(path, { keys: testKeys, busyTimeoutMs: 50 })
    const locker = new DatabaseSync(path)
    try {
      locker.exec('begin immediate')

      const answered = limited.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })

      await expect(answered).rejects.toMatchObject({ code: 'store_unavailable' })
      locker.exec('rollback')
    } finally {
      locker.close()
      await limited.close()
    }
    expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
  }))
