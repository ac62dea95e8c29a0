// A SQLite store in a new folder, which is removed when it is closed.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createKeyRing, type KeyRing } from '@assent/core'
import { openSqlite, type Store, type StoreOptions } from '@assent/store'

export interface TestStore {
  readonly store: Store
  readonly keys: KeyRing
  /** The path of the database file. */
  readonly path: string
  /** Runs SQL without going through the store. */
  query(sql: string): unknown[]
  close(): Promise<void>
}

export async function openTestStore(options: Partial<StoreOptions> = {}): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-test-'))
  const path = join(folder, 'assent.db')
  const keys = options.keys ?? createKeyRing([{ id: 'test', secret: randomBytes(32) }])
  const store = await openSqlite(path, { ...options, keys })
  return {
    store,
    keys,
    path,
    query: (sql) => querySqlite(path, sql),
    close: async () => {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function querySqlite(path: string, sql: string): unknown[] {
  const database = new DatabaseSync(path, { timeout: 5_000 })
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}
