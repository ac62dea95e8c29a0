// A fresh database for a race, on either engine, removed afterwards.
//
// Stores are opened by address, because every process opens its own. `select` reads the tables directly: the judge must
// not depend on the code that it checks.

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { createKeyRing } from '../../packages/core/src/index.ts'
import { type Clock, openPostgres, openSqlite, type Store } from '../../packages/store/src/index.ts'
import { newSchema } from '../../test-kit/postgres.ts'
import { removeFolder } from '../../test-kit/remove-folder.ts'
import { retried } from '../../test-kit/retried.ts'

export type Address =
  | { readonly engine: 'PostgreSQL'; readonly url: string; readonly schema: string }
  | { readonly engine: 'SQLite'; readonly path: string }

export type SqlRow = Readonly<Record<string, string | number | null>>

export interface TestDb {
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
  const { url, schema } = address
  return retried(() => openPostgres(url, { ...options, schema, connections, statementTimeoutMs: 60_000 }))
}

export async function freshPostgres(): Promise<TestDb> {
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  const { url, schema, query, drop } = await newSchema(types)
  return { address: { engine: 'PostgreSQL', url, schema }, select: (sql) => query<SqlRow>(sql), remove: drop }
}

export async function freshSqlite(): Promise<TestDb> {
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
    remove: () => removeFolder(folder),
  }
}
