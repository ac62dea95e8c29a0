// A newer version beside an older one, on one database. This version plays the older one: the tests add further migrations.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { retried, tookTooLong } from '../../../../test-kit/retried.ts'
import { applyMigrations } from '../engine/migrate-postgres.ts'
import { type Migration, migrationsFor } from '../engine/migrations.ts'
import { openPostgres, type Store } from '../index.ts'
import { aForm, testKeys } from './drafts.suite.ts'
import { onEachEngine, onPostgres, onSqlite, postgresUrl } from './engines.suite.ts'
import { useEveryOperation } from './every-operation.suite.ts'

function tablesOf(engine: 'postgres' | 'sqlite'): string[] {
  const tables = new Set<string>()
  for (const { sql } of migrationsFor(engine)) {
    for (const [, isDrop, name = ''] of sql.matchAll(/^(?:create|(drop)) table ([a-z_]+)/gm)) {
      if (isDrop === undefined) tables.add(name)
      else tables.delete(name)
    }
  }
  return [...tables]
}

test.each([
  ['PostgreSQL', onPostgres, tablesOf('postgres')],
  ['SQLite', onSqlite, tablesOf('sqlite')],
] as const)('[STORE-34] an older version works on tables that a newer one has extended (%s)', (_engine, on, tables) =>
  on(async ({ open, tamper }) => {
    const older = await open()
    for (const table of tables) {
      await tamper(`alter table ${table} add column from_the_future text`)
      await tamper(`alter table ${table} add column weight integer not null default 1`)
    }
    await tamper(`insert into migrations (name, digest) values ('9001-future.sql', 'x')`)

    expect(tables.length).toBeGreaterThan(10)
    for (const store of [older, await open()]) await useEveryOperation(store)
  }),
)

onEachEngine('[STORE-34] a version that is too old for its database refuses to start', async ({ open, tamper }) => {
  await open()
  await tamper(
    `insert into migrations (name, digest) values ('needs 0001-baseline.sql', ''), ('needs 9001-future.sql', '')`,
  )

  await expect(open()).rejects.toMatchObject({
    code: 'misconfigured',
    message: expect.stringContaining('9001-future.sql'),
  })
})

async function anOlderDatabase() {
  const schema = `t_${randomBytes(8).toString('hex')}`
  const connect = async () => {
    const client = new pg.Client({ connectionString: postgresUrl, options: `-c search_path=${schema}` })
    // A connection that a test terminates emits an error.
    client.on('error', () => undefined)
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  const admin = await connect()
  onTestFinished(async () => {
    await admin.query(`drop schema if exists ${schema} cascade`)
  })
  const store = await openPostgres(postgresUrl, { keys: testKeys, schema, connections: 2 })
  onTestFinished(() => store.close())
  const migrate = async (newer: Pick<Migration, 'name' | 'sql'>, client?: pg.Client) =>
    applyMigrations(client ?? (await connect()), schema, [...migrationsFor('postgres'), { digest: 'x', ...newer }])
  return { schema, store, connect, admin, migrate }
}

/** Raises asks until it is stopped, and returns how long the slowest took. A lock that is not granted is an error. */
function raising(store: Store) {
  let isOver = false
  let slowestMs = 0
  let count = 0
  const work = async () => {
    while (!isOver) {
      const startedAt = performance.now()
      const draft = aForm()
      await retried(() => store.asks.raise(draft), tookTooLong)
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      count += 1
      await sleep(10)
    }
  }
  const working = work()
  // An error is thrown by `stop`.
  working.catch(() => undefined)
  return {
    stop: async () => {
      isOver = true
      await working
      return { slowestMs, count }
    },
  }
}

const newColumn = { name: '9001-column.sql', sql: 'alter table asks add column from_the_future text' }
const newIndex = {
  name: '9001-index.sql',
  sql: '-- Unused.\ncreate index asks_future on asks (tenant, tool);\ncreate index asks_further on asks (tool);',
}

describe('[STORE-35] a newer version that starts under load', () => {
  // Much longer than a statement takes on a busy machine. One that is blocked takes as long as this, or fails.
  const holdMs = 8_000

  test.each([
    { what: 'a column', newer: newColumn, holding: 'reads', by: 'select count(*) from asks' },
    { what: 'a column', newer: newColumn, holding: 'writes', by: 'update asks set tool = tool' },
    { what: 'indexes', newer: newIndex, holding: 'writes', by: 'update asks set tool = tool' },
  ])('[STORE-35] adding $what blocks no other session while a long transaction $holding', async ({ newer, by }) => {
    const { store, connect, admin, migrate } = await anOlderDatabase()
    await store.asks.raise(aForm())
    const holder = await connect()
    await holder.query('begin')
    await holder.query(by)
    const load = raising(store)

    const migrated = migrate(newer)
    await sleep(holdMs)
    await holder.query('commit')
    await migrated

    const { slowestMs, count } = await load.stop()
    expect(count).toBeGreaterThan(5)
    expect(slowestMs).toBeLessThan(holdMs * 0.75)
    const { rows } = await admin.query(`select name from migrations where name = '${newer.name}'`)
    expect(rows).toHaveLength(1)
    await store.asks.raise(aForm())
  })

  test('[STORE-35] a migration continues where another was interrupted while building an index', async () => {
    const { store, connect, admin, migrate } = await anOlderDatabase()
    await store.asks.raise(aForm())
    const [holder, first] = [await connect(), await connect()]
    await holder.query('begin')
    await holder.query('update asks set tool = tool')
    const { rows } = await first.query('select pg_backend_pid() as pid')
    const broken = migrate(newIndex, first).catch((error: Error) => error)
    const halfMade = async () => (await admin.query(validity)).rows.some(({ isvalid }) => isvalid === false)
    while (!(await halfMade())) await sleep(20)

    await admin.query('select pg_terminate_backend($1)', [rows[0].pid])
    expect(await broken).toBeInstanceOf(Error)
    await holder.query('commit')
    expect(await halfMade()).toBe(true)
    await migrate(newIndex)

    expect((await admin.query(validity)).rows).toEqual([{ isvalid: true }, { isvalid: true }])
  })

  test('[STORE-35] several migrations that start at once wait for each other', async () => {
    const { admin, migrate } = await anOlderDatabase()

    await Promise.all(Array.from({ length: 6 }, () => migrate(newIndex)))

    expect((await admin.query(validity)).rows).toEqual([{ isvalid: true }, { isvalid: true }])
  })
})

const validity = `select i.indisvalid as isvalid from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relname in ('asks_future', 'asks_further') and c.relnamespace = current_schema()::regnamespace`
