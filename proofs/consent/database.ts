// A PostgreSQL database for the proof, dropped at its end.

import pg from 'pg'
import { createDatabase } from '../../test-kit/postgres.ts'

export interface ProofDatabase {
  readonly url: string
  /** Runs SQL as an attacker who has the database's password. */
  tamper(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>
  close(): Promise<void>
}

export async function aDatabase(): Promise<ProofDatabase> {
  const { url, drop } = await createDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 2, options: '-c search_path=assent,public' })
  // An idle connection ends with its database; every query reports its own failure.
  pool.on('error', () => undefined)
  return {
    url,
    tamper: async (sql, values = []) => (await pool.query(sql, [...values])).rows,
    close: async () => {
      await pool.end()
      await drop()
    },
  }
}
