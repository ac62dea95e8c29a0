// Brings a PostgreSQL database to the shape this version needs, while older versions work on it.
//
// Safe when twenty processes start at once: one does the work, the others wait for it and find it done. Nobody who works
// on the tables waits for long: each migration is a transaction of its own, a lock that does not come at once is tried for
// again later (whoever comes after a lock that is waited for waits too), and indexes of tables in use are made beside the
// work.

import { AssentError } from '@assent/core'
import type pg from 'pg'
import {
  type Applied,
  createLedger,
  isOfIndexes,
  type Migration,
  migrationsFor,
  pending,
  statementsOf,
} from './migrations.ts'

/** How long others may be held up by a lock that we wait for, how long they then have for themselves, and how often. */
const lockWaitMs = 250
const pauseMs = 500
const lockTries = 400
const lookMs = 50
/** How long whoever starts waits for another who does the same; making an index beside the work may take long. */
const aloneWithinMs = 10 * 60_000

type Client = pg.ClientBase

export async function applyMigrations(client: Client, schema: string, all = migrationsFor('postgres')): Promise<void> {
  let isNew = false
  // Older versions take the same lock, whatever they have to do.
  await alone(client, `assent migrations of ${schema}`, async () => {
    // Not "if not exists" alone: that needs the right to make schemas also where there is nothing to make.
    const { rows } = await client.query('select from pg_namespace where nspname = $1', [schema])
    if (rows.length === 0) await client.query(`create schema if not exists ${schema}`)
    await client.query(createLedger)
    const applied = await appliedIn(client)
    isNew = applied.length === 0
    const shapes = pending(all, applied).filter((one) => isNew || !isOfIndexes(one))
    // Nobody uses a database that is new, so it is made in one go.
    if (isNew) await patiently(() => inTransaction(client, shapes))
    else for (const one of shapes) await patiently(() => inTransaction(client, [one]))
  })
  if (isNew) return
  // Under a lock that older versions do not know: they would wait for it inside a transaction, and making an index beside
  // the work waits for all transactions that are older.
  await alone(client, `assent indexes of ${schema}`, async () => {
    for (const one of pending(all, await appliedIn(client))) {
      for (const statement of statementsOf(one.sql)) await patiently(() => makeBeside(client, statement))
      await note(client, one)
    }
  })
}

/** Looks again and again in place of waiting: who waits in a statement has a snapshot, and others wait for its end. */
async function alone(client: Client, name: string, work: () => Promise<void>): Promise<void> {
  const endsAt = performance.now() + aloneWithinMs
  for (;;) {
    const sql = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken'
    const { rows } = await client.query<{ taken: boolean }>(sql, [name])
    if (rows[0]?.taken === true) break
    if (performance.now() > endsAt)
      throw new AssentError(
        'store_unavailable',
        'Another process has been bringing the database up to date for very long. Start again when it is done or gone.',
      )
    await sleep(lookMs)
  }
  try {
    await work()
  } finally {
    // A connection that broke has let go of it already.
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch(() => undefined)
  }
}

async function appliedIn(client: Client): Promise<Applied[]> {
  return (await client.query<{ name: string; digest: string }>('select name, digest from migrations')).rows
}

async function inTransaction(client: Client, migrations: readonly Migration[]): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${lockWaitMs}`)
    for (const one of migrations) {
      await client.query(one.sql)
      await note(client, one)
    }
    await client.query('commit')
  } catch (error) {
    // A connection that broke has rolled back already, and why it broke is what counts.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function makeBeside(client: Client, statement: string): Promise<void> {
  const [, name] = /^create index ([a-z_]+) on /.exec(statement) ?? []
  if (name === undefined) throw new AssentError('misconfigured', `Not one index: ${statement}`)
  // One that was broken off is there, and of no use.
  const { rows } = await client.query<{ isvalid: boolean }>(
    `select i.indisvalid as isvalid from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relname = $1 and c.relnamespace = current_schema()::regnamespace`,
    [name],
  )
  if (rows[0]?.isvalid === true) return
  if (rows[0] !== undefined) await client.query(`drop index concurrently ${name}`)
  await client.query(statement.replace('create index', 'create index concurrently'))
}

async function note(client: Client, { name, digest }: Migration): Promise<void> {
  await client.query('insert into migrations (name, digest) values ($1, $2)', [name, digest])
}

/** Again when a lock did not come, or came to two who waited for each other. */
async function patiently(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const code = (error as { code?: string }).code
      if (code !== '55P03' && code !== '40P01') throw error
      if (tries === lockTries) {
        const reason =
          'A table was locked by someone else for minutes, so the database could not be brought up to date.'
        throw new AssentError('store_unavailable', reason, { cause: error })
      }
    }
    await sleep(pauseMs)
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
