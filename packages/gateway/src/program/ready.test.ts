// `/readyz` of the real program, with a PostgreSQL database that refuses writes or hangs at commit.

import pg from 'pg'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { aProvider } from '../../../../test-kit/oidc/token-provider.ts'
import { until } from '../../../../test-kit/until.ts'
import { aDatabase, aKey, aRunningGateway } from './process.suite.ts'

const servers = 'servers: { a: { command: b } }'

async function ready(url: string): Promise<{ status: number; body: { status: string; reason?: string } }> {
  const response = await fetch(new URL('/readyz', url))
  return { status: response.status, body: (await response.json()) as { status: string } }
}

async function untilReady(url: string, wanted: number) {
  return until(async () => {
    const found = await ready(url)
    return found.status === wanted ? found : undefined
  })
}

async function aGatewayOnPostgres() {
  const { name, url } = await aDatabase()
  const gateway = await aRunningGateway(`keys: { k1: "${aKey}" }\n${servers}`, { ASSENT_STORE: url })
  const admin = new pg.Client(url)
  await admin.connect()
  closeAfterTest(() => admin.end())
  return { gateway, admin, name }
}

/** Terminates every other connection, so that the gateway reconnects. */
const others =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'

test('[PROG-9] while the database is read-only it is not ready, and the reason is reported', async () => {
  const { gateway, admin, name } = await aGatewayOnPostgres()
  expect(await untilReady(gateway.url, 200)).toEqual({ status: 200, body: { status: 'ready' } })

  await admin.query(`alter database ${name} set default_transaction_read_only = on`)
  await admin.query(others)

  const { body } = await untilReady(gateway.url, 503)
  await until(async () => ((await ready(gateway.url)).body.reason === 'The store is read-only.' ? true : undefined))
  expect(['store not writable', 'store unreachable']).toContain(body.status)
  await until(() => gateway.lines().find(({ msg }) => msg === 'Not ready: The store is read-only.'))

  await admin.query(`alter database ${name} reset default_transaction_read_only`)
  await admin.query(others)
  await untilReady(gateway.url, 200)
})

test('[PROG-9] while commits hang it is not ready, and the check and the lease wait in one connection each; then it is ready again', async () => {
  const { gateway, admin } = await aGatewayOnPostgres()
  await untilReady(gateway.url, 200)
  // A trigger at commit hangs like waiting for a standby: no statement timeout ends it.
  await admin.query(`
    create table public.hang (seconds int);
    create function public.hang() returns trigger language plpgsql as $$
      begin perform pg_sleep(seconds) from public.hang; return null; end $$;
    create constraint trigger hang after insert or update on assent.replicas
      deferrable initially deferred for each row execute function public.hang();
    insert into public.hang values (25)`)

  const { body } = await untilReady(gateway.url, 503)
  await new Promise((resolve) => setTimeout(resolve, 6_000))
  const { rows } = await admin.query(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event = 'PgSleep'`,
  )

  expect(body).toEqual({ status: 'store not writable', reason: 'The store does not confirm writes in time.' })
  expect((await ready(gateway.url)).status).toBe(503)
  expect(rows[0].count).toBeLessThanOrEqual(2)

  await admin.query('update public.hang set seconds = 0')
  await untilReady(gateway.url, 200)
})

test('[PROG-9] it is not ready until the keys of its issuer were read once', async () => {
  const provider = await aProvider()
  await provider.stop()
  const identity = `identity: { issuer: "${provider.issuer}", audience: "https://assent.example.com/mcp" }`
  const gateway = await aRunningGateway(`${identity}\n${servers}`)

  const before = await ready(gateway.url)
  await provider.start()
  await untilReady(gateway.url, 200)
  await provider.stop()

  expect(before.status).toBe(503)
  expect(before.body).toEqual({
    status: 'issuer keys not read',
    reason: 'The keys of the issuer have not been read yet.',
  })
  expect((await ready(gateway.url)).status).toBe(200)
  expect(gateway.lines()).toContainEqual(
    expect.objectContaining({ level: 'warn', reason: expect.stringContaining('ECONNREFUSED') }),
  )
})
