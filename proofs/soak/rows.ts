// The tables of a long-running cluster: counts the rows, and moves timestamps back by days.
//
// Rows that are kept for a day or more cannot be waited for. So rows that ended some seconds ago are dated back by more
// than any retention time; deleting them is left to the replicas.

import pg from 'pg'
import { postgresUrl } from '../../test-kit/postgres.ts'

/** Asks, votes and the audit log are the permanent record and grow. These tables must not. */
const tables = [
  'deferred_calls',
  'rounds',
  'replicas',
  'calls',
  'client_sessions',
  'session_settings',
  'sign_in_links',
  'sessions',
  'used_ids',
  'steps',
  'secret_pages',
  'outbox',
] as const

const dayMs = 24 * 60 * 60 * 1_000
const agedMs = 90 * dayMs
const oldAfterMs = 8_000

const now = `(extract(epoch from clock_timestamp()) * 1000)::bigint`
/** Only rows that are not dated back yet. */
const isOld = (column: string) => `${column} between ${now} - ${agedMs / 2} and ${now} - ${oldAfterMs}`

/** Longer than a person may take: after that no caller returns with a handle, also if another process had the call. */
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

  /** @param application the application name of the replicas' connections */
  static async open(schema: string, application: string): Promise<Rows> {
    const client = new pg.Client({ connectionString: postgresUrl, options: `-c search_path=${schema}` })
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
