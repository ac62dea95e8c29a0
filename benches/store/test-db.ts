// A PostgreSQL schema for the bench with any number of open asks, dropped afterwards.

import { openPostgres, type Store } from '@assent/store'
import type pg from 'pg'
import { newSchema } from '../../test-kit/postgres.ts'
import { type Asks, keys, loadAsks } from './load.ts'
import { cpuMsBetween, cpuMsOfConnections } from './processor-time.ts'

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
  /** The processor time that the database uses for the opened stores while this runs. */
  cpuMsDuring(work: () => Promise<void>): Promise<number>
}

/** @param database the address of a PostgreSQL server; by default that of the tests */
export async function inFreshSchema<T>(work: (testDb: TestDb) => Promise<T>, database?: string): Promise<T> {
  const { url: serverUrl, schema, query, drop } = await newSchema(undefined, database)
  const application = `bench-${schema}`
  const withName = new URL(serverUrl)
  withName.searchParams.set('application_name', application)
  const url = withName.href
  const opened: Store[] = []
  const open = async (connections: number) => {
    const store = await openPostgres(url, { keys, schema, connections })
    opened.push(store)
    return store
  }
  const loadedAtMs = Date.now() - 60 * 60_000
  try {
    await open(1)
    return await work({
      url,
      schema,
      loadedAtMs,
      open,
      load: async (asks) => {
        for (const sql of loadAsks(asks, loadedAtMs)) await query(sql)
        await query('vacuum (analyze) asks, ask_approvers, votes, grants')
        // Write pending data now, not during a measurement.
        await query('checkpoint')
      },
      rows: query,
      cpuMsDuring: async (measured) => {
        const before = await cpuMsOfConnections(query, application)
        await measured()
        return cpuMsBetween(before, await cpuMsOfConnections(query, application))
      },
    })
  } finally {
    await Promise.all(opened.map((store) => store.close()))
    await drop()
  }
}
