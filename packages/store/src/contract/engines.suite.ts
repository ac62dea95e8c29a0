// Runs the same test on both engines, each time on a new database.

import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { test } from 'vitest'
import { removeFolder } from '../../../../test-kit/remove-folder.ts'
import { hasServices, hasSqlite } from '../../../../test-kit/services.ts'
import {
  type DatabaseReport,
  examinePostgres,
  examineSqlite,
  migratePostgres,
  openPostgres,
  openSqlite,
  type PostgresStoreOptions,
  type Store,
  type StoreOptions,
} from '../index.ts'
import { noon, testKeys } from './drafts.suite.ts'

export const postgresUrl: string = process.env.ASSENT_TEST_POSTGRES ?? 'postgres://root@127.0.0.1:5432/test'

/** The address of a connection pooler for the same database, if the tests are to run through one. */
const poolerUrl = process.env.ASSENT_TEST_POOLER

export interface TestDb {
  /** Opens the same database again, as another process would. */
  open(options?: Partial<StoreOptions> & Pick<PostgresStoreOptions, 'wake'>): Promise<Store>
  /** Examines the same database before it is opened. */
  examine(): Promise<DatabaseReport>
  /** Runs SQL directly on the database, as someone with its password could. */
  tamper(sql: string): Promise<unknown[]>
}

/** A clock that moves only when the test advances it. */
export interface StoppedClock {
  (): number
  advance(ms: number): void
}

export function stoppedClock(startMs = noon): StoppedClock {
  let now = startMs
  return Object.assign(() => now, {
    advance: (ms: number) => {
      now += ms
    },
  })
}

export function onEachEngine(title: string, run: (db: TestDb) => Promise<void>): void {
  test.skipIf(!hasServices)(`${title} (PostgreSQL)`, () => onPostgres(run))
  test.skipIf(!hasSqlite)(`${title} (SQLite)`, () => onSqlite(run))
}

export async function onPostgres(run: (db: TestDb) => Promise<void>): Promise<void> {
  const schema = `t_${randomBytes(8).toString('hex')}`
  const opened: Store[] = []
  const admin = new pg.Client({ connectionString: postgresUrl, options: `-c search_path=${schema}` })
  await admin.connect()
  try {
    await run({
      open: async (options) => {
        if (poolerUrl !== undefined) await migratePostgres(postgresUrl, { schema })
        const through = poolerUrl === undefined ? {} : { wake: postgresUrl }
        const settings = { keys: testKeys, schema, connections: 4, ...through, ...options }
        const store = await openPostgres(poolerUrl ?? postgresUrl, settings)
        opened.push(store)
        return store
      },
      examine: () => examinePostgres(postgresUrl, { schema }),
      tamper: async (sql) => (await admin.query(sql)).rows,
    })
  } finally {
    await Promise.all(opened.map((store) => store.close()))
    await admin.query(`drop schema if exists ${schema} cascade`)
    await admin.end()
  }
}

export async function onSqlite(run: (db: TestDb & { readonly path: string }) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-'))
  const path = join(folder, 'assent.db')
  const opened: Store[] = []
  try {
    await run({
      path,
      open: async (options) => {
        const store = await openSqlite(path, { keys: testKeys, ...options })
        opened.push(store)
        return store
      },
      examine: async () => examineSqlite(path),
      tamper: async (sql) => {
        const database = new DatabaseSync(path, { timeout: 5_000 })
        try {
          return database.prepare(sql).all()
        } finally {
          database.close()
        }
      },
    })
  } finally {
    await Promise.all(opened.map((store) => store.close()))
    await removeFolder(folder)
  }
}
