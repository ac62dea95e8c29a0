// Gateways whose role does not own the tables: they can work, and cannot change the audit log.

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { allItems } from '../../../../test-kit/all-items.ts'
import { migrationsFor } from '../engine/migrations.ts'
import { rightsByTable } from '../engine/rights.ts'
import { examinePostgres, grantsFor, migratePostgres, openPostgres } from '../index.ts'
import { aForm, testKeys } from './drafts.suite.ts'
import { postgresUrl } from './engines.suite.ts'
import { useEveryOperation } from './every-operation.suite.ts'

/** A database with two roles: one owns the tables, and gateways use the other. */
async function twoRoles() {
  const name = `t_${randomBytes(8).toString('hex')}`
  const [owner, app] = [`${name}_owner`, `${name}_app`]
  const admin = new pg.Client(postgresUrl)
  await admin.connect()
  for (const statement of [`create role ${owner} login`, `create role ${app} login`]) await admin.query(statement)
  await admin.query(`create database ${name} owner ${owner}`)
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`)
    await admin.query(`drop role ${owner}, ${app}`)
    await admin.end()
  })
  const urlAs = (username: string) => Object.assign(new URL(postgresUrl), { username, pathname: `/${name}` }).href
  const connect = async (role: string) => {
    const client = new pg.Client(urlAs(role))
    client.on('error', () => undefined)
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  const open = async () => {
    const store = await openPostgres(urlAs(app), { keys: testKeys, connections: 3 })
    onTestFinished(() => store.close())
    return store
  }
  return { owner, app, urlAs, connect, open }
}

const denied = { code: '42501' }

test('[STORE-42] the granted rights are sufficient for everything that a gateway does', async () => {
  const { owner, app, urlAs, open } = await twoRoles()
  const { applied } = await migratePostgres(urlAs(owner), { grantTo: app })

  await useEveryOperation(await open())

  expect(applied).toEqual(migrationsFor('postgres').map(({ name }) => name))
  expect(await migratePostgres(urlAs(owner), { grantTo: app })).toEqual({ applied: [], role: owner })
  await useEveryOperation(await open())
})

test('[STORE-42] that role can neither change nor delete audit entries, nor change tables', async () => {
  const { owner, app, urlAs, connect, open } = await twoRoles()
  // Rights that it had before are revoked.
  await migratePostgres(urlAs(owner))
  await (await connect(owner)).query(`grant all on all tables in schema assent to ${app}`)
  await migratePostgres(urlAs(owner), { grantTo: app })
  const store = await open()
  await store.asks.raise(aForm())
  const client = await connect(app)

  for (const table of ['audit_entries', 'log_index']) {
    await expect(client.query(`update assent.${table} set tenant = 'x'`)).rejects.toMatchObject(denied)
    await expect(client.query(`delete from assent.${table}`)).rejects.toMatchObject(denied)
    await expect(client.query(`truncate assent.${table}`)).rejects.toMatchObject(denied)
    await expect(client.query(`alter table assent.${table} disable trigger all`)).rejects.toMatchObject(denied)
    await expect(client.query(`drop table assent.${table}`)).rejects.toMatchObject(denied)
  }
  for (const statement of [
    'create table assent.mine (a text)',
    'delete from assent.log_heads',
    'delete from assent.asks',
    'delete from assent.grants',
    'update assent.votes set answer = $$x$$',
    'insert into assent.migrations values ($$x$$, $$x$$)',
  ]) {
    await expect(client.query(statement), statement).rejects.toMatchObject(denied)
  }
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 1 })
})

test('[RETAIN-6] only the role that owns the tables can erase and delete', async () => {
  const { owner, app, urlAs, connect, open } = await twoRoles()
  await migratePostgres(urlAs(owner), { grantTo: app })
  const store = await open()
  const { id } = await store.asks.raise(aForm())
  await store.asks.withdraw('acme', id, 'unseen')
  const longAgo = 400 * 24 * 60 * 60 * 1_000
  await (await connect(owner)).query(
    `update assent.asks set raised_at = raised_at - ${longAgo}, decide_by = decide_by - ${longAgo},
       ended_at = ended_at - ${longAgo};
     update assent.audit_entries set at = at - ${longAgo}`,
  )
  const periods = { answersMs: 86_400_000, recordMs: 86_400_000 }

  const refused = { code: 'misconfigured', message: expect.stringMatching(/_app" may not erase.*owns the tables/) }
  await expect(store.retention.apply('acme', periods)).rejects.toMatchObject(refused)
  await expect(store.retention.erasePerson('acme', 'ann')).rejects.toMatchObject(refused)
  expect(await store.retention.due('acme', periods)).toMatchObject({ asks: 1 })
  const asOwner = await openPostgres(urlAs(owner), { keys: testKeys, connections: 3 })
  onTestFinished(() => asOwner.close())
  expect(await asOwner.retention.apply('acme', periods)).toMatchObject({ asks: 1, deleted: 1 })
  const kinds = (await allItems(store.audit.entries('acme'))).map(({ kind }) => kind)
  expect(kinds).toEqual(['ask.raised', 'ask.withdrawn', 'record.erased'])
})

test('[STORE-42] a missing or outdated schema is refused, with the command to run', async () => {
  const { owner, app, urlAs, connect, open } = await twoRoles()
  await expect(open()).rejects.toMatchObject({
    code: 'misconfigured',
    message: expect.stringMatching(/no tables of Assent in the schema "assent".*assent migrate/),
  })
  await migratePostgres(urlAs(owner))
  await expect(open()).rejects.toThrow(/may not use the schema "assent".*assent migrate --grants/)
  await expect(examinePostgres(urlAs(app))).rejects.toThrow(/may not use the schema "assent".*assent migrate --grants/)

  await migratePostgres(urlAs(owner), { grantTo: app })
  const client = await connect(owner)
  await client.query(`delete from assent.migrations where name = '0002-functions.postgres.sql'`)
  await expect(open()).rejects.toMatchObject({
    code: 'misconfigured',
    message: expect.stringMatching(
      /older than this version needs: it lacks 0002-functions\.postgres\.sql.*assent migrate/,
    ),
  })
})

test('[STORE-42] a missing right is found at the start', async () => {
  const { owner, app, urlAs, connect, open } = await twoRoles()
  await migratePostgres(urlAs(owner), { grantTo: app })
  await (await connect(owner)).query(`revoke insert on assent.audit_entries from ${app}`)

  await expect(open()).rejects.toMatchObject({
    code: 'misconfigured',
    message: expect.stringContaining(`"${app}" lacks the right to insert on assent.audit_entries. Run as the owner`),
  })
  await expect(examinePostgres(urlAs(app))).rejects.toThrow('lacks the right to insert on assent.audit_entries')
})

test('[STORE-42] granting rights to the owner is refused, because it has all rights already', async () => {
  const { owner, urlAs } = await twoRoles()

  await expect(migratePostgres(urlAs(owner), { grantTo: owner })).rejects.toThrow(/owns the tables/)
})

test('[STORE-42] the granted rights are exactly those that the statements need, for every table', () => {
  const used = new Map<string, Set<string>>()
  const note = (table: string, right: string) => used.set(table, (used.get(table) ?? new Set(['select'])).add(right))
  // The table of migrations is read by all roles, and written only by the owner.
  note('migrations', 'select')
  // Only migrations write that table.
  const migrations = migrationsFor('postgres').map(({ sql }) => sql.replaceAll(/^insert into migrations .*$/gm, ''))
  for (const sql of [...migrations, ...statementsInSource()]) {
    for (const [, table = ''] of sql.matchAll(/^drop table ([a-z_]+)/gm)) used.delete(table)
    for (const [, table = ''] of sql.matchAll(/^create table ([a-z_]+)/gm)) note(table, 'select')
    for (const [, table = ''] of sql.matchAll(/\binsert into ([a-z_]+) \(/g)) note(table, 'insert')
    for (const [, table = ''] of sql.matchAll(/\bupdate ([a-z_]+) set\b/g)) note(table, 'update')
    for (const [, table = ''] of sql.matchAll(/\bdelete from ([a-z_]+)/g)) note(table, 'delete')
    for (const [, table = ''] of sql.matchAll(/\binsert into ([a-z_]+) \([^;`]*?\bdo update set\b/g))
      note(table, 'update')
  }

  const needed = Object.fromEntries([...used].map(([table, rights]) => [table, [...rights].sort()]))
  const granted = Object.entries(rightsByTable).map(([table, rights]) => [table, [...rights].sort()])
  expect(Object.fromEntries(granted)).toEqual(needed)
})

test('[STORE-42] a role with an unusual name is quoted', () => {
  expect(grantsFor('assent', 'an "odd" role')[0]).toBe('grant usage on schema assent to "an ""odd"" role"')
})

/**
 * The source of all folders that contain statements of gateways; engine/ contains only those of migrations, and retention/ those
 * that only the owner may run.
 */
function statementsInSource(): string[] {
  const source = new URL('../', import.meta.url)
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^(contract|engine|retention)\//.test(file))
    .map((file) => readFileSync(new URL(file, source), 'utf8'))
}
