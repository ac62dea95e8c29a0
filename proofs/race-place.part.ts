// Where a race is run: a fresh database on either engine, gone afterwards.
//
// Stores are opened by address, because every process opens its own. `select` reads the tables behind the store's back:
// the judge must not learn what happened from the code that it judges.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { createKeyRing } from '../packages/core/src/index.ts'
import { type Clock, openPostgres, openSqlite, type Store } from '../packages/store/src/index.ts'

export type Address =
  | { readonly engine: 'PostgreSQL'; readonly url: string; readonly schema: string }
  | { readonly engine: 'SQLite'; readonly path: string }

export type SqlRow = Readonly<Record<string, string | number | null>>

export interface Place {
  readonly address: Address
  select(sql: string): Promise<SqlRow[]>
  remove(): Promise<void>
}

// Twelve stores are open at once, and a developer's PostgreSQL takes a hundred connections from everybody together.
const connections = 3

/** The same in every process of a race. */
const keys = createKeyRing([{ id: 'race', secret: new Uint8Array(32).fill(5) }])

export async function openStore(address: Address, clock?: Clock): Promise<Store> {
  const options = clock === undefined ? { keys } : { keys, clock }
  if (address.engine === 'SQLite') return openSqlite(address.path, { ...options, busyTimeoutMs: 60_000 })
  return openPostgres(address.url, { ...options, schema: address.schema, connections, statementTimeoutMs: 60_000 })
}

export async function freshPostgres(): Promise<Place> {
  const url = process.env.ASSENT_TEST_POSTGRES ?? 'postgres://root@127.0.0.1:5432/test'
  const schema = `race_${randomBytes(8).toString('hex')}`
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}`, types })
  await client.connect()
  return {
    address: { engine: 'PostgreSQL', url, schema },
    select: async (sql) => (await client.query<SqlRow>(sql)).rows,
    remove: async () => {
      await client.query(`drop schema if exists ${schema} cascade`)
      await client.end()
    },
  }
}

export async function freshSqlite(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-race-'))
  const path = join(folder, 'assent.db')
  return {
    address: { engine: 'SQLite', path },
    select: async (sql) => {
      const database = new DatabaseSync(path, { readOnly: true })
      try {
        return database.prepare(sql).all() as SqlRow[]
      } finally {
        database.close()
      }
    },
    remove: () => rm(folder, { recursive: true }),
  }
}
