// A PostgreSQL schema for the bench with any number of open asks, dropped afterwards.

import { openPostgres, type Store } from '@assent/store'
import type pg from 'pg'
import { newSchema } from '../../test-kit/postgres.ts'
import { type Asks, keys, loadAsks, tenantOf } from './load.ts'

export interface TestDb {
  readonly url: string
  readonly schema: string
  /** Asks loaded here were raised from this moment on, a millisecond apart. */
  readonly loadedAtMs: number
  /** Opens a store on this schema; closed with it. */
  open(connections: number): Promise<Store>
  load(asks: Asks): Promise<void>
  /** Runs SQL without going through the store. */
  rows<R extends pg.QueryResultRow>(sql: string): Promise<R[]>
}

export async function inFreshSchema<T>(work: (testDb: TestDb) => Promise<T>): Promise<T> {
  const { url, schema, query, drop } = await newSchema()
  const opened: Store[] = []
  const open = async (connections: number) => {
    const store = await openPostgres(url, { keys, schema, connections })
    opened.push(store)
    return store
  }
  const loadedAtMs = Date.now() - 60 * 60_000
  try {
    const keeper = await open(1)
    return await work({
      url,
      schema,
      loadedAtMs,
      open,
      load: async (asks) => {
        for (let n = 0; n < asks.tenants; n++) await keeper.audit.begin(tenantOf(n, asks.tenants))
        for (const sql of loadAsks(asks, loadedAtMs)) await query(sql)
        await query('vacuum (analyze) asks, ask_approvers, audit_heads, votes, grants')
        // Write pending data now, not during a measurement.
        await query('checkpoint')
      },
      rows: query,
    })
  } finally {
    await Promise.all(opened.map((store) => store.close()))
    await drop()
  }
}
