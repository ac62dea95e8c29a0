// A PostgreSQL schema of the bench's own, gone afterwards, with as many open asks in it as a measurement needs.

import { randomBytes } from 'node:crypto'
import { openPostgres, type Store } from '@assent/store'
import pg from 'pg'
import { type Asks, keys, loadAsks, tenantOf } from './store-load.part.ts'

export interface Place {
  readonly url: string
  readonly schema: string
  /** Asks loaded here were raised from this moment on, a millisecond apart. */
  readonly loadedAtMs: number
  /** Opens the store here; closed with the place. */
  open(connections: number): Promise<Store>
  load(asks: Asks): Promise<void>
  /** SQL behind the store's back. */
  rows<R extends pg.QueryResultRow>(sql: string): Promise<R[]>
}

const postgresUrl = process.env.ASSENT_TEST_POSTGRES ?? 'postgres://root@127.0.0.1:5432/test'

export async function inFreshSchema<T>(work: (place: Place) => Promise<T>): Promise<T> {
  const schema = `bench_${randomBytes(6).toString('hex')}`
  const opened: Store[] = []
  const admin = new pg.Client({ connectionString: postgresUrl, options: `-c search_path=${schema}` })
  await admin.connect()
  const open = async (connections: number) => {
    const store = await openPostgres(postgresUrl, { keys, schema, connections })
    opened.push(store)
    return store
  }
  const loadedAtMs = Date.now() - 60 * 60_000
  try {
    const keeper = await open(1)
    return await work({
      url: postgresUrl,
      schema,
      loadedAtMs,
      open,
      load: async (asks) => {
        for (let n = 0; n < asks.tenants; n++) await keeper.audit.begin(tenantOf(n, asks.tenants))
        for (const sql of loadAsks(asks, loadedAtMs)) await admin.query(sql)
        await admin.query('vacuum (analyze) asks, ask_approvers, audit_heads, votes, grants')
        // What loading left to write is written now, not in the middle of somebody's round.
        await admin.query('checkpoint')
      },
      rows: async <R extends pg.QueryResultRow>(sql: string) => (await admin.query<R>(sql)).rows,
    })
  } finally {
    await Promise.all(opened.map((store) => store.close()))
    await admin.query(`drop schema if exists ${schema} cascade`)
    await admin.end()
  }
}
