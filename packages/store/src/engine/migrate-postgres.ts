// Applies missing migrations to a PostgreSQL database while older versions use it.
//
// I1  Of several processes that start at once, one applies the migrations; the others wait and find them applied.
// I2  Other sessions never wait long for us: each migration is its own transaction, and a lock that is not granted at once is
//     released and requested again later, because every session that requests it after us would queue behind us.
// I3  Indexes of tables in use are built concurrently, after all other migrations.

import { setTimeout as sleep } from 'node:timers/promises'
import { AssentError } from '@assent/core'
import type pg from 'pg'
import {
  type AppliedMigration,
  createMigrationsTable,
  type Migration,
  migrationsFor,
  onlyCreatesIndexes,
  pendingMigrations,
  statementsOf,
} from './migrations.ts'

/** How long we queue for a table lock, how long we pause before the next try, and how often we try. */
const lockWaitMs = 250
const lockPauseMs = 500
const lockTries = 400
const turnPollMs = 50
/** How long a starting process waits for another one that migrates. Building an index concurrently may take long. */
const turnTimeoutMs = 10 * 60_000

type Client = pg.ClientBase

export async function applyMigrations(client: Client, schema: string, all = migrationsFor('postgres')): Promise<void> {
  await withMigrationLock(client, schema, async () => {
    // `if not exists` alone needs the right to create schemas even if the schema exists.
    const { rows } = await client.query('select from pg_namespace where nspname = $1', [schema])
    if (rows.length === 0) await client.query(`create schema if not exists ${schema}`)
    await client.query(createMigrationsTable)
    const applied = await readApplied(client)
    const pending = pendingMigrations(all, applied)
    // A new database is not in use yet, so one transaction creates everything.
    if (applied.length === 0) return retryLocks(() => inTransaction(client, pending))
    for (const one of pending.filter((each) => !onlyCreatesIndexes(each))) {
      await retryLocks(() => inTransaction(client, [one]))
    }
    for (const one of pending.filter(onlyCreatesIndexes)) {
      for (const statement of statementsOf(one.sql)) await retryLocks(() => createConcurrently(client, statement))
      await recordApplied(client, one)
    }
  })
}

/**
 * Polls for the lock instead of waiting in a statement: a waiting statement holds a snapshot, and building an index
 * concurrently waits for all older snapshots.
 */
async function withMigrationLock(client: Client, schema: string, work: () => Promise<void>): Promise<void> {
  const name = `assent migrations of ${schema}`
  const giveUpAt = performance.now() + turnTimeoutMs
  for (;;) {
    const sql = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken'
    const { rows } = await client.query<{ taken: boolean }>(sql, [name])
    if (rows[0]?.taken === true) break
    if (performance.now() > giveUpAt)
      throw new AssentError(
        'store_unavailable',
        'Another process has been migrating the database for more than ten minutes. Start again when it has finished or ended.',
      )
    await sleep(turnPollMs)
  }
  try {
    await work()
  } finally {
    // A broken connection has released the lock already.
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch(() => undefined)
  }
}

async function readApplied(client: Client): Promise<AppliedMigration[]> {
  return (await client.query<{ name: string; digest: string }>('select name, digest from migrations')).rows
}

async function inTransaction(client: Client, migrations: readonly Migration[]): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${lockWaitMs}`)
    for (const one of migrations) {
      await client.query(one.sql)
      await recordApplied(client, one)
    }
    await client.query('commit')
  } catch (error) {
    // If the connection broke, the server has rolled back already; report the first error.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function createConcurrently(client: Client, statement: string): Promise<void> {
  const [, name] = /^create index ([a-z_]+) on /.exec(statement) ?? []
  if (name === undefined) throw new AssentError('misconfigured', `Not a statement that creates one index: ${statement}`)
  // An interrupted build leaves an invalid index behind.
  const { rows } = await client.query<{ isvalid: boolean }>(
    `select i.indisvalid as isvalid from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relname = $1 and c.relnamespace = current_schema()::regnamespace`,
    [name],
  )
  if (rows[0]?.isvalid === true) return
  if (rows[0] !== undefined) await client.query(`drop index concurrently ${name}`)
  await client.query(statement.replace('create index', 'create index concurrently'))
}

async function recordApplied(client: Client, { name, digest }: Migration): Promise<void> {
  await client.query('insert into migrations (name, digest) values ($1, $2)', [name, digest])
}

const lockNotAvailable = '55P03'
const deadlockDetected = '40P01'

async function retryLocks(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const code = (error as { code?: string }).code
      if (code !== lockNotAvailable && code !== deadlockDetected) throw error
      if (tries === lockTries) {
        const reason = 'Another session has locked a table for several minutes, so the database could not be migrated.'
        throw new AssentError('store_unavailable', reason, { cause: error })
      }
    }
    await sleep(lockPauseMs)
  }
}
