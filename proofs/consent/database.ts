// A PostgreSQL database of the proof's own, dropped when it is over.

import { randomBytes } from 'node:crypto'
import pg from 'pg'

export interface ProofDatabase {
  readonly url: string
  /** Runs SQL as somebody who has the database's password. */
  tamper(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>
  close(): Promise<void>
}

const adminUrl = process.env.ASSENT_TEST_POSTGRES ?? 'postgres://root@127.0.0.1:5432/test'

export async function aDatabase(): Promise<ProofDatabase> {
  const name = `assent_consent_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: url.href, max: 2, options: '-c search_path=assent,public' })
  // An idle connection that ends with its database; every query reports its own failure.
  pool.on('error', () => undefined)
  return {
    url: url.href,
    tamper: async (sql, values = []) => (await pool.query(sql, [...values])).rows,
    close: async () => {
      await pool.end()
      await asAdmin(`drop database ${name} with (force)`)
    },
  }
}

async function asAdmin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
