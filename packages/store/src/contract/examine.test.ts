import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../../test-kit/remove-folder.ts'
import { migrationsFor } from '../engine/migrations.ts'
import { examinePostgres, examineSqlite, migratePostgres, openPostgres, openSqlite } from '../index.ts'
import { testKeys } from './drafts.suite.ts'
import { onEachEngine, postgresUrl } from './engines.suite.ts'

async function aSchema() {
  const schema = `t_${randomBytes(8).toString('hex')}`
  const admin = new pg.Client(postgresUrl)
  await admin.connect()
  onTestFinished(async () => {
    await admin.query(`drop schema if exists ${schema} cascade`)
    await admin.end()
  })
  return { schema, admin }
}

async function aFile() {
  const folder = await mkdtemp(join(tmpdir(), 'assent-'))
  onTestFinished(() => removeFolder(folder))
  return { folder, path: join(folder, 'assent.db') }
}

test('[CHECK-4] examining a new database does not change it', async () => {
  const { schema, admin } = await aSchema()

  const found = await examinePostgres(postgresUrl, { schema })

  expect(found).toMatchObject({ schema, applied: 0, writeProblem: undefined })
  expect(found.missing).toEqual(migrationsFor('postgres').map(({ name }) => name))
  const { rows } = await admin.query('select 1 from pg_namespace where nspname = $1', [schema])
  expect(rows).toEqual([])
})

test('[CHECK-4] a database of this version is up to date, and the check leaves no row in it', async () => {
  const { schema, admin } = await aSchema()
  await (await openPostgres(postgresUrl, { keys: testKeys, schema })).close()

  const found = await examinePostgres(postgresUrl, { schema })

  expect(found).toMatchObject({ applied: migrationsFor('postgres').length, missing: [], writeProblem: undefined })
  expect((await admin.query(`select * from ${schema}.replicas`)).rows).toEqual([])
})

test('[CHECK-4] missing migrations are listed, and an incompatible newer database is refused', async () => {
  const { schema, admin } = await aSchema()
  await (await openPostgres(postgresUrl, { keys: testKeys, schema })).close()
  const { rows } = await admin.query(
    `delete from ${schema}.migrations where name = (select max(name) from ${schema}.migrations where name not like 'needs %') returning name`,
  )
  expect((await examinePostgres(postgresUrl, { schema })).missing).toEqual([rows[0].name])

  await admin.query(`insert into ${schema}.migrations values ('needs 9999-future.sql', 'x')`)
  await expect(examinePostgres(postgresUrl, { schema })).rejects.toMatchObject({ code: 'misconfigured' })
})

onEachEngine('[CHECK-4] a database of an older development version is refused', async ({ open, examine, tamper }) => {
  await open()
  await tamper('delete from migrations')
  await tamper(`insert into migrations (name, digest) values ('0002-asks.sql', 'x')`)

  await expect(examine()).rejects.toThrow(/older development version of Assent.* Create a new one/)
})

test('[CHECK-4] writes that are refused or hang are reported', async () => {
  const { schema, admin } = await aSchema()
  await (await openPostgres(postgresUrl, { keys: testKeys, schema })).close()
  const readOnly = new URL(postgresUrl)
  readOnly.searchParams.set('options', '-c default_transaction_read_only=on')

  const refused = await examinePostgres(readOnly.href, { schema })
  await admin.query('begin')
  await admin.query(`lock table ${schema}.replicas in exclusive mode`)
  const hanging = await examinePostgres(postgresUrl, { schema })
  await admin.query('rollback')

  expect(refused.writeProblem).toBe('The database is read-only.')
  expect(hanging.writeProblem).toBe('The database did not confirm a write within 3 s.')
})

test('[CHECK-4] a role that may not migrate, or lacks rights, gets the command to run', async () => {
  const { schema, admin } = await aSchema()
  const role = `${schema}_role`
  await admin.query(`create role ${role} login`)
  onTestFinished(async () => {
    await admin.query(`drop owned by ${role}; drop role ${role}`)
  })
  const as = new URL(postgresUrl)
  as.username = role

  await expect(examinePostgres(as.href, { schema })).rejects.toThrow('run `assent migrate` as its owner')
  await (await openPostgres(postgresUrl, { keys: testKeys, schema })).close()
  await expect(examinePostgres(as.href, { schema })).rejects.toThrow(`assent migrate --grants ${role}`)
  await migratePostgres(postgresUrl, { schema, grantTo: role })
  expect(await examinePostgres(as.href, { schema })).toMatchObject({ missing: [], writeProblem: undefined })
})

test('[CHECK-4] a database that cannot be reached is reported as such, without its password', async () => {
  const found = examinePostgres('postgres://a:sw0rdfish@127.0.0.1:1/a')

  await expect(found).rejects.toMatchObject({ code: 'store_unavailable' })
  await expect(found).rejects.not.toThrow('sw0rdfish')
})

test('[CHECK-4] a SQLite file is examined in the same way, and not created', async () => {
  const { folder, path } = await aFile()
  const none = examineSqlite(path)
  const nested = examineSqlite(join(folder, 'a', 'b', 'assent.db'))
  await (await openSqlite(path, { keys: testKeys })).close()
  const there = examineSqlite(path)

  expect(none).toMatchObject({ applied: 0, writeProblem: undefined })
  expect(nested).toMatchObject({ applied: 0, writeProblem: undefined })
  expect(there).toMatchObject({ missing: [], writeProblem: undefined })
})

test.skipIf(process.getuid?.() === 0)('[CHECK-4] a file that this user may not write to is reported', async () => {
  const { path } = await aFile()
  await (await openSqlite(path, { keys: testKeys })).close()
  await chmod(path, 0o400)

  expect(examineSqlite(path).writeProblem).toBe('This user may not write to it.')
})

onEachEngine(
  '[PROG-9] a write is confirmed, and its row does not count as a live replica',
  async ({ open, tamper }) => {
    const store = await open()

    await store.replicas.confirmWrite()
    await store.replicas.confirmWrite()

    const rows = (await tamper('select id from replicas')) as { id: string }[]
    expect(rows).toHaveLength(1)
    expect(await store.replicas.isAlive(rows[0]?.id ?? '')).toBe(false)
  },
)
