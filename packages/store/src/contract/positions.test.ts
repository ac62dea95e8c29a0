// Positions in the audit log when reads go to a standby, or to a database that was restored.

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { ReplicatedPostgres } from '../../../../test-kit/replicated-postgres.ts'
import { hasServices, hasSqlite } from '../../../../test-kit/services.ts'
import { Changes } from '../changes/changes.ts'
import type { Engine } from '../engine/engine.ts'
import { PostgresEngine } from '../engine/postgres.ts'
import { openDatabase, SqliteEngine } from '../engine/sqlite.ts'
import type { Params, Row, Statement } from '../engine/statement.ts'
import { openPostgres } from '../index.ts'
import { AuditLog } from '../log/audit-log.ts'
import { readHead } from '../log/log-statements.ts'
import { Notifier } from '../notify/notifier.ts'
import { PollSignals } from '../notify/poll-signals.ts'
import type { OnSignal, Signals } from '../notify/signals.ts'
import { aForm, ann, inEurope, testKeys } from './drafts.suite.ts'
import { onEachEngine, onPostgres, onSqlite, postgresUrl } from './engines.suite.ts'

const tenant = 'acme'
const longerMs = 120_000
const aDigest = `sha256:${'0'.repeat(64)}`

type Position = { readonly position: string }

async function engineOn(url: string, schema: string): Promise<PostgresEngine> {
  const settings = { statementTimeoutMs: 10_000, connectTimeoutMs: 10_000, onError: () => undefined }
  const engine = new PostgresEngine({ url, schema, connections: 1, ...settings })
  closeAfterTest(() => engine.close())
  await engine.start()
  return engine
}

function notifierOn(engine: Engine): Notifier {
  const notifier = new Notifier(engine, new PollSignals(), { pollMs: 50, onError: () => undefined })
  closeAfterTest(() => notifier.close())
  return notifier
}

async function clientOn(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=assent' })
  await client.connect()
  closeAfterTest(() => client.end())
  return client
}

/** Resolves when the standby shows everything that the primary has now. */
async function replayed(cluster: ReplicatedPostgres, standby: pg.Client): Promise<void> {
  const [now] = await cluster.ask<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn')
  for (;;) {
    const { rows } = await standby.query('select 1 where pg_last_wal_replay_lsn() >= $1::pg_lsn', [now?.lsn])
    if (rows.length > 0) return
    await sleep(20)
  }
}

test.skipIf(!hasServices)(
  '[TLOG-42] a change feed that is read from a standby skips and repeats nothing, and never goes back',
  { timeout: longerMs },
  async () => {
    const cluster = await ReplicatedPostgres.start('positions')
    closeAfterTest(() => cluster.remove())
    const store = await openPostgres(cluster.url, { keys: testKeys, connections: 2 })
    closeAfterTest(() => store.close())
    const [writer, standby] = [await clientOn(cluster.url), await clientOn(cluster.standbyUrl)]
    const first = await store.asks.raise(aForm())
    await replayed(cluster, standby)
    const ofStandby = new Changes(
      await engineOn(cluster.standbyUrl, 'assent'),
      notifierOn(await engineOn(cluster.url, 'assent')),
    )
    const read = async (from: Changes, after: string) => {
      const { changes, position } = await from.since(tenant, ['person:ann'], after, 100)
      return { found: changes.map(({ id, move }) => `${move} ${id}`), position }
    }

    // A transaction that is open when the standby is read.
    await writer.query('begin')
    await writer.query(`insert into audit_entries (tenant, at, kind, subject, counter, digest)
      values ('${tenant}', 1, 'ask.voted', '${first.id}', 0, '${aDigest}')`)
    const second = await store.asks.raise(aForm())
    await replayed(cluster, standby)
    const before = await read(ofStandby, '0')
    await writer.query('commit')
    await replayed(cluster, standby)
    const after = await read(ofStandby, before.position)
    expect([...before.found, ...after.found].toSorted()).toEqual(
      [`raised ${first.id}`, `raised ${second.id}`, `voted ${first.id}`].toSorted(),
    )

    // A standby that has not reached the position of the primary.
    await standby.query('select pg_wal_replay_pause()')
    const third = await store.asks.raise(aForm())
    const atPrimary = await read(store.changes, after.position)
    expect(atPrimary.found).toEqual([`raised ${third.id}`])
    expect(await read(ofStandby, atPrimary.position)).toEqual({ found: [], position: atPrimary.position })
    expect((await read(store.changes, atPrimary.position)).found).toEqual([])
    await standby.query('select pg_wal_replay_resume()')
    const fourth = await store.asks.raise(aForm())
    await replayed(cluster, standby)
    expect((await read(ofStandby, atPrimary.position)).found).toEqual([`raised ${fourth.id}`])
  },
)

onEachEngine('[TLOG-42] in a database that was restored, the change feed continues at its end', async ({ open }) => {
  const store = await open()
  await store.asks.raise(aForm())
  const isSqlite = !(await store.changes.last(tenant)).includes(':')
  const ahead = isSqlite ? '900000000000' : '900000000000:900000000000:'

  const read = await store.changes.since(tenant, ['person:ann'], ahead, 100)
  expect(read).toMatchObject({ changes: [], more: false, isRestored: true })
  const { id } = await store.asks.raise(aForm())
  const next = await store.changes.since(tenant, ['person:ann'], read.position, 100)
  expect(next).toMatchObject({ changes: [{ id }], more: false })
  expect(next.isRestored).toBeUndefined()
})

test.skipIf(!hasServices)(
  '[TLOG-42] in a database that was restored, a waiter is notified of an end (PostgreSQL)',
  () =>
    onPostgres(async ({ open, tamper }) => {
      const store = await open()
      const { id } = await store.asks.raise(aForm())
      const [row] = (await tamper('select current_schema() as schema')) as { schema: string }[]
      const engine = await engineOn(postgresUrl, row?.schema ?? '')
      let positions = 0
      // The first position is one of the server before.
      const restored: Engine = Object.create(engine, {
        run: {
          value: async (statement: Parameters<Engine['run']>[0], params: Parameters<Engine['run']>[1]) => {
            if (statement.name !== 'read_position') return engine.run(statement, params)
            positions += 1
            return positions === 1 ? [{ position: '900000000000:900000000000:' }] : engine.run(statement, params)
          },
        },
      })
      const waiter = notifierOn(restored).waiterFor(tenant, id)
      await expect.poll(() => positions).toBeGreaterThan(0)
      await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })

      expect(await waiter.wait(10_000)).toBe(true)
      waiter.close()
    }),
)

test.skipIf(!hasServices)(
  '[TLOG-42] after a failover that uses transaction numbers again, a waiter is notified of an end (PostgreSQL)',
  () =>
    onPostgres(async ({ open, tamper }) => {
      const store = await open()
      const { id } = await store.asks.raise(aForm())
      const [row] = (await tamper('select current_schema() as schema')) as { schema: string }[]
      const engine = await engineOn(postgresUrl, row?.schema ?? '')
      const ofPoll: Position[] = []
      // The first position is one of the server before, which had begun more transactions.
      const promoted: Engine = Object.create(engine, {
        run: {
          value: async (statement: Parameters<Engine['run']>[0], params: Parameters<Engine['run']>[1]) => {
            const rows = (await engine.run(statement, params)) as Position[]
            if (statement.name === 'read_position') ofPoll.push(...rows)
            if (statement.name !== 'read_position' || ofPoll.length > 1) return rows
            const ahead = Number(rows[0]?.position.split(':')[1]) + 2_000
            return [{ position: `${ahead}:${ahead}:` }]
          },
        },
      })
      let receive: OnSignal = () => undefined
      const signals: Signals = Object.assign(new PollSignals(), { start: (given: OnSignal) => (receive = given) })
      const notifier = new Notifier(promoted, signals, { pollMs: longerMs, onError: () => undefined })
      closeAfterTest(() => notifier.close())
      const waiter = notifier.waiterFor(tenant, id)
      receive()
      await expect.poll(() => ofPoll.length).toBe(1)
      await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })
      await tamper('do $$ begin for at in 1..3000 loop perform pg_current_xact_id(); commit; end loop; end $$')
      receive('lost')

      expect(await waiter.wait(10_000)).toBe(true)
      waiter.close()
    }),
)

/** Reads the head of the log from a standby that shows an earlier state. */
class BehindEngine extends SqliteEngine {
  shown: readonly Row[] | undefined

  override async run<P extends Params, R extends Row>(statement: Statement<P, R>, params: P): Promise<R[]> {
    const isShown = statement.name === readHead.name && this.shown !== undefined
    return isShown ? (this.shown as R[]) : super.run(statement, params)
  }
}

test.skipIf(!hasSqlite)('[TLOG-42] a log is not extended from an earlier end, which was read from a standby', () =>
  onSqlite(async ({ open, path }) => {
    const store = await open()
    const notes = (count: number) =>
      store.audit.append(tenant, Array(count).fill({ subject: 'relay', body: { passed: true } }))
    await notes(3)
    await store.audit.integrate(tenant)
    const engine = new BehindEngine(openDatabase({ path, busyTimeoutMs: 5_000 }))
    closeAfterTest(() => engine.close())
    const behind = await engine.run(readHead, { tenant })
    await notes(5)
    const { checkpoint } = await store.audit.integrate(tenant)
    await notes(1)

    const ignored = () => undefined
    const log = new AuditLog(engine, { keys: testKeys, onIntegrated: ignored, onLongTransaction: ignored })
    engine.shown = behind
    await expect(log.integrate(tenant)).rejects.toMatchObject({ code: 'store_unavailable' })
    engine.shown = undefined
    expect((await log.head(tenant)).head).toMatchObject({ size: 8, checkpoint })
    expect(await log.integrate(tenant)).toMatchObject({ size: 9 })
    expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 9 })
  }),
)
