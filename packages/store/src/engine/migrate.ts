// Brings a database to the shape this version needs. Safe when twenty processes start at once: one does the work, the
// others wait for it and find it done.
//
// Migrations only add, so that an older version can go on beside a newer one. A migration that was applied is never
// changed: its digest is kept and compared.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { AssentError } from '@assent/core'
import type pg from 'pg'

interface Migration {
  readonly name: string
  readonly sql: string
  readonly digest: string
}

const folder = new URL('../../migrations/', import.meta.url)
const createLedger = `create table if not exists migrations (
  name text not null primary key,
  digest text not null
)`

/** `0002-asks.sql` is for both engines, `0001-functions.postgres.sql` for one. */
export function migrationsFor(engine: 'postgres' | 'sqlite'): Migration[] {
  return readdirSync(folder)
    .filter((file) => new RegExp(`^\\d{4}-[a-z-]+(\\.${engine})?\\.sql$`).test(file))
    .sort()
    .map((file) => {
      const sql = readFileSync(new URL(file, folder), 'utf8')
      return { name: file, sql, digest: createHash('sha256').update(sql).digest('hex') }
    })
}

export async function migratePostgres(client: pg.ClientBase, schema: string): Promise<void> {
  await client.query('begin')
  try {
    // Held until commit. Every process of every version takes the same lock, whatever it has to do.
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`assent migrations of ${schema}`])
    await client.query(`create schema if not exists ${schema}`)
    await client.query(createLedger)
    const { rows } = await client.query<{ name: string; digest: string }>('select name, digest from migrations')
    for (const migration of pending(migrationsFor('postgres'), rows)) {
      await client.query(migration.sql)
      await client.query('insert into migrations (name, digest) values ($1, $2)', [migration.name, migration.digest])
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

export function migrateSqlite(database: DatabaseSync): void {
  database.exec('begin immediate')
  try {
    database.exec(createLedger)
    const rows = database.prepare('select name, digest from migrations').all() as { name: string; digest: string }[]
    const insert = database.prepare('insert into migrations (name, digest) values (?, ?)')
    for (const migration of pending(migrationsFor('sqlite'), rows)) {
      database.exec(migration.sql)
      insert.run(migration.name, migration.digest)
    }
    database.exec('commit')
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}

function pending(all: readonly Migration[], applied: readonly { name: string; digest: string }[]): Migration[] {
  const known = new Map(applied.map(({ name, digest }) => [name, digest]))
  for (const { name, digest } of all) {
    const earlier = known.get(name)
    if (earlier !== undefined && earlier !== digest) {
      throw new AssentError(
        'misconfigured',
        `Migration ${name} was changed after it had been applied to this database.`,
      )
    }
  }
  return all.filter(({ name }) => !known.has(name))
}
