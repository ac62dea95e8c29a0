// `assent migrate`, and gateways whose role owns no tables, set up as in docs/guides/self-hosting.md.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { expect, test } from 'vitest'
import { aRawServer, call, complete } from '../../packages/gateway/src/contract/wire.suite.ts'
import { aFolder, aKey, aRunningGateway, assent, assentHere } from '../../packages/gateway/src/program/process.suite.ts'
import { closeAfterTest } from '../../test-kit/close-after-test.ts'
import { postgresPort, postgresUrl } from '../../test-kit/postgres.ts'

const page = readFileSync(new URL('../../docs/guides/self-hosting.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = '']) => sql)
const [roles = '', grants = ''] = blocks

/** The documented SQL with names of this test: roles are global to the database server. */
function named(sql: string, name: string): string {
  return sql
    .replaceAll('assent_owner', `${name}_owner`)
    .replaceAll(/(?<=role |to |database )"?assent"?(?=[ ;])/g, name)
    .replaceAll('from "assent"', `from ${name}`)
}

/** The one-time setup by an administrator. */
async function aPreparedDatabase() {
  const name = `assent_roles_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client(postgresUrl)
  await admin.connect()
  closeAfterTest(async () => {
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.query(`drop role if exists ${name}_owner, ${name}`)
    await admin.end()
  })
  for (const statement of named(roles, name).split(';\n').filter(Boolean)) await admin.query(statement)
  const urlAs = (role: string) => `postgres://${role}:secret@127.0.0.1:${postgresPort}/${name}`
  return { name, ownerUrl: urlAs(`${name}_owner`), url: urlAs(name) }
}

const settings = (url: string) => ({ ASSENT_STORE: url })
const config = (server: string) => `servers: { a: { url: "${server}" } }\nkeys: { k1: "${aKey}" }`

test('[PROG-70] the documented SQL is what assent migrate grants', async () => {
  const { code, out } = await assentHere(['migrate', '--grants', 'assent', '--print'])

  expect({ code, out }).toEqual({ code: 0, out: grants })
  expect(roles).toContain('create role assent_owner login')
})

test('[PROG-70] set up as documented, a gateway serves, and its role cannot change the audit log', async () => {
  const { name, ownerUrl, url } = await aPreparedDatabase()
  const migrate = ['migrate', '--store', ownerUrl, '--grants', name]
  expect(await assent(migrate)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Applied \d+ migrations\. .* has the rights/),
  })
  expect(await assent(migrate)).toMatchObject({ code: 0, out: expect.stringContaining('Up to date') })
  const server = await aRawServer(() => complete)

  const gateway = await aRunningGateway(config(server.url), settings(url))
  expect((await call(gateway.url, {})).message).toHaveProperty('result')
  const readiness = async () => (await fetch(new URL('/readyz', gateway.url))).status
  await expect.poll(readiness, { timeout: 60_000 }).toBe(200)
  expect(gateway.lines()).toContainEqual(
    expect.objectContaining({ msg: 'The store is open.', notifications: 'listen' }),
  )

  const client = new pg.Client(url)
  await client.connect()
  for (const sql of [
    'update assent.audit_entries set body = $$x$$',
    'delete from assent.audit_entries',
    'truncate assent.audit_entries',
  ]) {
    await expect(client.query(sql), sql).rejects.toMatchObject({ code: '42501' })
  }
  await client.end()
})

test('[PROG-70] the SQL run by hand does the same', async () => {
  const { name, ownerUrl, url } = await aPreparedDatabase()
  expect(await assent(['migrate', '--store', ownerUrl])).toMatchObject({ code: 0 })
  const owner = new pg.Client(ownerUrl)
  await owner.connect()
  for (const statement of named(grants, name).split(';\n').filter(Boolean)) await owner.query(statement)
  await owner.end()
  const server = await aRawServer(() => complete)

  const gateway = await aRunningGateway(config(server.url), settings(url))

  expect((await call(gateway.url, {})).message).toHaveProperty('result')
})

test('[PROG-70] a gateway that may not create tables exits with an error if they are missing or too old', async () => {
  const { name, ownerUrl, url } = await aPreparedDatabase()
  const folder = await aFolder({ 'assent.yaml': config('http://127.0.0.1:1/mcp') })
  const start = () => assent(['gateway', '--config', 'assent.yaml'], { variables: settings(url), folder })

  expect(await start()).toMatchObject({ code: 3, err: expect.stringMatching(/no tables of Assent.*assent migrate/) })
  await assent(['migrate', '--store', ownerUrl, '--grants', name])
  const owner = new pg.Client(ownerUrl)
  await owner.connect()
  await owner.query(`delete from assent.migrations where name like '0002%'`)
  await owner.end()
  expect(await start()).toMatchObject({
    code: 3,
    err: expect.stringMatching(/older than this version.*assent migrate/),
  })
})

test('[PROG-70] migrating an unsupported or unreachable store reports the reason', async () => {
  const folder = await aFolder({ 'assent.yaml': 'servers: { a: { command: none } }\nstore: sqlite:a.db' })

  expect(await assent(['migrate'], { folder })).toMatchObject({ code: 0, out: expect.stringContaining('SQLite') })
  expect(await assentHere(['migrate', '--store', 'mysql://a'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('--store must be'),
  })
  expect(await assentHere(['migrate', '--print'])).toMatchObject({ code: 2, err: expect.stringContaining('--grants') })
  const away = ['migrate', '--store', 'postgres://root@127.0.0.1:1/test']
  expect(await assentHere(away)).toMatchObject({ code: 3, err: expect.stringContaining('cannot be reached') })
})
