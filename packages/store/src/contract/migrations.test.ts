import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { removeFolder } from '../../../../test-kit/remove-folder.ts'
import { migrationsFor } from '../engine/migrations.ts'
import { openPostgres, openSqlite } from '../index.ts'
import { testKeys } from './drafts.suite.ts'
import { onEachEngine, postgresUrl } from './engines.suite.ts'

const processes = 20

/** Starts processes that all open the same store at the same moment; each raises one ask and exits. */
async function openAtOnce(...args: string[]): Promise<string[]> {
  const children = Array.from({ length: processes }, () =>
    fork(new URL('open-process.suite.ts', import.meta.url), args, { execArgv: ['--conditions=assent-source'] }),
  )
  await Promise.all(children.map((child) => once(child, 'message')))
  const replies = children.map(replyOf)
  for (const child of children) child.send('go')
  return Promise.all(replies)
}

async function replyOf(child: ChildProcess): Promise<string> {
  const [reply] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  return String(reply)
}

test('[STORE-2] twenty processes that start at once on an empty database migrate it once (PostgreSQL)', async () => {
  const schema = `t_${randomBytes(8).toString('hex')}`
  const admin = new pg.Client({ connectionString: postgresUrl, options: `-c search_path=${schema}` })
  await admin.connect()
  try {
    expect(await openAtOnce('postgres', postgresUrl, schema)).toEqual(Array(processes).fill('opened'))

    const { rows } = await admin.query(`select name from migrations where name not like 'needs %' order by name`)
    expect(rows).toEqual(migrationsFor('postgres').map(({ name }) => ({ name })))
    const store = await openPostgres(postgresUrl, { keys: testKeys, schema })
    expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: processes })
    await store.close()
  } finally {
    await admin.query(`drop schema if exists ${schema} cascade`)
    await admin.end()
  }
}, 300_000)

test('[STORE-2] twenty processes that start at once on an empty file migrate it once (SQLite)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assent-'))
  const path = join(folder, 'assent.db')
  try {
    expect(await openAtOnce('sqlite', path)).toEqual(Array(processes).fill('opened'))

    const store = await openSqlite(path, { keys: testKeys })
    expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: processes })
    await store.close()
  } finally {
    await removeFolder(folder)
  }
}, 300_000)

onEachEngine(
  '[STORE-2] a migration that was changed after it was applied is refused by name',
  async ({ open, tamper }) => {
    await open()
    await tamper(`update migrations set digest = 'other' where name = '0001-baseline.sql'`)

    await expect(open()).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('0001-baseline.sql'),
    })
  },
)

onEachEngine(
  '[STORE-2] a database of an older development version is refused, and not changed',
  async ({ open, tamper }) => {
    await open()
    await tamper('delete from migrations')
    await tamper(`insert into migrations (name, digest) values ('0002-asks.sql', 'x'), ('0003-grants.sql', 'y')`)

    await expect(open()).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringMatching(/made by an older development version of Assent.* Create a new one/),
    })

    expect(await tamper('select name from migrations order by name')).toEqual([
      { name: '0002-asks.sql' },
      { name: '0003-grants.sql' },
    ])
  },
)

onEachEngine('[STORE-2] migrations of a newer version do not stop an older one', async ({ open, tamper }) => {
  await open()
  await tamper(`insert into migrations (name, digest) values ('9999-from-the-future.sql', 'x')`)

  await expect(open()).resolves.toBeDefined()
})

test('[STORE-2] each engine gets its own migrations and the common ones, in order', () => {
  const [postgres, sqlite] = [migrationsFor('postgres'), migrationsFor('sqlite')].map((list) =>
    list.map(({ name }) => name),
  )

  expect(postgres).toContain('0002-functions.postgres.sql')
  expect(sqlite?.filter((name) => name.includes('postgres'))).toEqual([])
  const common = (names: readonly string[] = []) => names.filter((name) => !/\.(postgres|sqlite)\./.test(name))
  expect(common(sqlite)).toEqual(common(postgres))
  expect(postgres).toEqual(postgres?.toSorted())
})
