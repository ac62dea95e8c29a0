// The store through PgBouncer, in session and in transaction mode.

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../../../../test-kit/postgres.ts'
import { migratePostgres, openPostgres, type PostgresStoreOptions, type Store } from '../index.ts'
import { accept, aForm, anApproval, ann, inEurope, minuteMs, testKeys } from './drafts.suite.ts'
import { postgresUrl } from './engines.suite.ts'
import { useEveryOperation } from './every-operation.suite.ts'
import { aPgBouncer, isMissing, type PoolMode } from './pgbouncer.suite.ts'
import { aTcpProxy } from './tcp-proxy.suite.ts'

/** Of one store. */
const connections = 4

async function aSchema() {
  const schema = `t_${randomBytes(8).toString('hex')}`
  const admin = await connect(postgresUrl)
  onTestFinished(async () => {
    await admin.query(`drop schema if exists ${schema} cascade`)
  })
  await migratePostgres(postgresUrl, { schema })
  const open = async (url: string, options: Partial<PostgresStoreOptions> = {}) => {
    const store = await openPostgres(url, { keys: testKeys, schema, connections, ...options })
    onTestFinished(() => store.close())
    return store
  }
  return { schema, admin, open }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** Many asks are answered on all connections of these stores at once: more than the pooler has to the server. */
async function answerMany(stores: readonly Store[], each: number): Promise<void> {
  const answerSome = async (store: Store) => {
    for (let left = each / connections; left > 0; left--) {
      const { tenant, id } = await store.asks.raise(anApproval(['person:ann'], 1))
      const answered = await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })
      expect(answered.kind).toBe('settled')
      expect(await store.grants.read(tenant, id)).toBeDefined()
    }
  }
  await Promise.all(stores.flatMap((store) => Array.from({ length: connections }, () => answerSome(store))))
}

const modes: readonly PoolMode[] = ['session', 'transaction']

describe.skipIf(isMissing).each(modes)('through PgBouncer, %s pooling', (mode) => {
  test('[STORE-40] every operation works, and only the configured schema is used', async () => {
    const { admin, open } = await aSchema()
    const before = await tablesInPublic(admin)
    const { url } = await aPgBouncer(mode)
    const stores = await Promise.all([open(url), open(url), open(url)])

    for (const store of stores) await useEveryOperation(store)
    await answerMany(stores, 20)

    expect(stores.map(({ isPooled }) => isPooled)).toEqual([true, true, true])
    expect(await stores[0]?.audit.verify('acme')).toMatchObject({ ok: true })
    expect(await tablesInPublic(admin)).toEqual(before)
  })

  test('[STORE-40] no setting and no prepared statement is left on a connection that others share', async () => {
    const { schema } = await aSchema()
    const { url } = await aPgBouncer(mode)
    const store = await openPostgres(url, { keys: testKeys, schema, connections })
    await answerMany([store], 20)
    await store.audit.append('acme', [
      { subject: 'a', body: {} },
      { subject: 'b', body: {} },
    ])
    await store.close()

    const others = await Promise.all([connect(url), connect(url), connect(url)])
    const seen = await Promise.all(
      others.map(async (client) => {
        // Long enough that each runs on its own server connection.
        const { rows } = await client.query(
          `select current_setting('search_path') as path, current_setting('statement_timeout') as timeout,
             current_setting('plan_cache_mode') as plans, (select count(*)::int from pg_prepared_statements) as prepared,
             (select count(*)::int from pg_listening_channels()) as channels, pg_sleep(0.3)`,
        )
        const { pg_sleep: _, ...settings } = rows[0] as Record<string, unknown>
        return settings
      }),
    )
    const untouched = { path: '"$user", public', timeout: '0', plans: 'auto', prepared: 0, channels: 0 }
    expect(seen).toEqual([untouched, untouched, untouched])
  })

  test('[STORE-40] a database that acknowledges commits before they are written is refused at the start', async () => {
    const { schema, admin, open } = await aSchema()
    await admin.query(`create role ${schema} superuser login`)
    onTestFinished(async () => {
      await admin.query(`drop role ${schema}`)
    })
    await admin.query(`alter role ${schema} set synchronous_commit = off`)
    const { url } = await aPgBouncer(mode, schema)

    await expect(open(Object.assign(new URL(url), { username: schema }).href)).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('synchronous_commit'),
    })
  })

  test('[STORE-40] a statement that takes too long is ended at the server', async () => {
    const { schema, admin, open } = await aSchema()
    const store = await open((await aPgBouncer(mode, schema)).url)
    const { tenant, id } = await store.asks.raise(aForm())
    await admin.query('begin')
    await admin.query(`select * from ${schema}.asks for update`)
    const answered = store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })
    await expect(answered).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect.poll(() => waitingForLocks(schema), { timeout: 30_000 }).toBe(0)
    await admin.query('rollback')
  })

  test('[STORE-40] without a separate address for LISTEN, changes of other processes are found by polling', async () => {
    const { open } = await aSchema()
    const { url } = await aPgBouncer(mode)
    const [waiting, answering] = await Promise.all([open(url, { pollMs: 200 }), open(url)])
    const { tenant, id } = await waiting.asks.raise(aForm())
    const waited = waiting.asks.wait(tenant, id)

    await answering.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })

    expect((await waited)?.state.kind).toBe('settled')
    expect(waiting.notifications.transport).toBe('poll')
  })

  test('[STORE-40] with the address of the database itself, a waiter is notified long before any poll', async () => {
    const { open } = await aSchema()
    const { url } = await aPgBouncer(mode)
    const direct = { pollMs: 10 * minuteMs, wake: postgresUrl }
    const [waiting, answering] = await Promise.all([open(url, direct), open(url, direct)])
    const { tenant, id } = await waiting.asks.raise(aForm())
    const waited = waiting.asks.wait(tenant, id)
    await expect.poll(() => waiting.waiting, { timeout: 30_000 }).toBeGreaterThan(0)

    await answering.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })

    expect((await waited)?.state.kind).toBe('settled')
    expect(waiting.notifications.transport).toBe('listen')
  })

  test('[STORE-40] an address for LISTEN that leads to a pooler, or to another database, is refused', async () => {
    const { open } = await aSchema()
    const { url } = await aPgBouncer(mode)
    const elsewhere = await createDatabase()
    onTestFinished(elsewhere.drop)

    await expect(open(url, { wake: url })).rejects.toThrow(/wake.*leads to a connection pooler/)
    await expect(open(url, { wake: elsewhere.url })).rejects.toThrow(/wake.*leads to another database/)
  })

  test('[STORE-41] a schema that is missing or too old is refused, because migrations need the database itself', async () => {
    const { schema, admin, open } = await aSchema()
    const { url } = await aPgBouncer(mode)
    await admin.query(`delete from ${schema}.migrations where name = '0002-functions.postgres.sql'`)

    await expect(open(url)).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringMatching(/lacks 0002-functions\.postgres\.sql.*assent migrate/),
    })
    await expect(open(url, { schema: `${schema}_none` })).rejects.toThrow(/no tables of Assent in the schema/)
    await expect(migratePostgres(url, { schema })).rejects.toThrow(/connection pooler/)
  })

  test('[STORE-40] the suites for asks, grants, calls, audit, limits, messages and notifications pass', async () => {
    const { url } = await aPgBouncer(mode)
    const suites = ['asks', 'grants', 'calls', 'audit', 'open-limits', 'messages', 'notify']
    const files = suites.map((name) => `packages/store/src/contract/${name}.test.ts`)
    const words = ['vitest', 'run', '--maxWorkers=1', '-t', 'PostgreSQL', ...files]
    const child = spawn('npx', words, {
      env: { ...process.env, NO_COLOR: '1', ASSENT_TEST_POOLER: url },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)))
    const [code] = await once(child, 'close')

    expect(code, output).toBe(0)
    expect(output).toMatch(/Tests +\d{2,} passed/)
  }, 900_000)
})

test('[STORE-41] settings that a proxy changes on the way to the database are detected at the start', async () => {
  const { schema, open } = await aSchema()
  const proxy = await aTcpProxy()
  onTestFinished(() => proxy.close())
  proxy.replace(`'${schema}, pg_temp'`, `'public${' '.repeat(schema.length - 'public'.length)}, pg_temp'`)

  await expect(open(proxy.url)).rejects.toMatchObject({
    code: 'misconfigured',
    message: expect.stringContaining(`not those of "${schema}"`),
  })
})

async function tablesInPublic(admin: pg.Client): Promise<unknown[]> {
  return (await admin.query(`select tablename from pg_tables where schemaname = 'public' order by 1`)).rows
}

async function waitingForLocks(role: string): Promise<number> {
  const client = new pg.Client(postgresUrl)
  await client.connect()
  const { rows } = await client.query(
    `select count(*)::int as waiting from pg_stat_activity where usename = $1 and wait_event_type = 'Lock'`,
    [role],
  )
  await client.end()
  return (rows[0] as { waiting: number }).waiting
}
