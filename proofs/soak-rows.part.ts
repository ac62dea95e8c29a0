// The tables of a fleet that lives for long: how many rows each has, and days that pass in seconds.
//
// What is kept for a day or more before it is forgotten cannot be waited for. So what ended some seconds ago is
// dated back by more days than anything is kept for; forgetting it is left to the replicas.

import pg from 'pg'
import { usualDatabase } from './fleet-life.part.ts'

/** The asks, their votes and the audit are the record, and grow. These must not. */
const tables = [
  'letters',
  'deferred_calls',
  'rounds',
  'replicas',
  'calls',
  'client_sessions',
  'session_wishes',
  'sign_in_links',
  'sessions',
  'used_ids',
  'steps',
  'secret_pages',
] as const

const dayMs = 24 * 60 * 60 * 1_000
const agedMs = 90 * dayMs
const oldAfterMs = 8_000

const now = `(extract(epoch from clock_timestamp()) * 1000)::bigint`
/** Only what is not dated back yet. */
const isOld = (column: string) => `${column} between ${now} - ${agedMs / 2} and ${now} - ${oldAfterMs}`

/** A person's time, and some: then nobody comes back with a handle either, also where another process had the call. */
const putOffForMs = 130_000

const ageing: readonly string[] = [
  `update deferred_calls set expires_at = expires_at - ${agedMs}
   where expires_at > ${now} and (ended_at < ${now} - ${oldAfterMs} or deferred_at < ${now} - ${putOffForMs})`,
  `update rounds set expires_at = expires_at - ${agedMs} where expires_at > ${now} and ended_at < ${now} - ${oldAfterMs}`,
  `update replicas set lease_until = lease_until - ${agedMs} where ${isOld('lease_until')}`,
  `update calls set ended_at = ended_at - ${agedMs} where state <> 'running' and ${isOld('ended_at')}`,
  ...['client_sessions', 'used_ids', 'steps'].map(
    (table) => `update ${table} set expires_at = expires_at - ${agedMs} where ${isOld('expires_at')}`,
  ),
]

export class Rows {
  readonly #client: pg.Client
  readonly #application: string

  private constructor(client: pg.Client, application: string) {
    this.#client = client
    this.#application = application
  }

  /** @param application what the replicas' connections are called at the database */
  static async open(schema: string, application: string): Promise<Rows> {
    const client = new pg.Client({ connectionString: usualDatabase, options: `-c search_path=${schema}` })
    await client.connect()
    return new Rows(client, application)
  }

  async age(): Promise<void> {
    for (const sql of ageing) await this.#client.query(sql)
  }

  /** Rows by table, and the connections that all replicas have. */
  async count(): Promise<Record<string, number>> {
    const counted = tables.map((table) => `(select count(*)::int from ${table}) as "rows in ${table}"`)
    const connections = `(select count(*)::int from pg_stat_activity where application_name = '${this.#application}')`
    const { rows } = await this.#client.query(`select ${counted.join(', ')}, ${connections} as "database connections"`)
    return rows[0]
  }

  async close(): Promise<void> {
    await this.#client.end()
  }
}
