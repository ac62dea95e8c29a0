// The schema in PostgreSQL before a store is opened on it: whether its tables are as this version needs them and whether this
// role may use them. Missing migrations are applied where the role may do that; otherwise `assent migrate` does, as the owner.

import { AssentError, isAssentError } from '@assent/core'
import pg from 'pg'
import { checkRights } from './check-rights.ts'
import { isDirectConnection } from './connection-settings.ts'
import { applyMigrations } from './migrate-postgres.ts'
import type { Migration } from './migrations.ts'
import { misconfigured } from './misconfigured.ts'
import { missingIn, needsMigrate } from './missing-migrations.ts'
import { explain } from './postgres.ts'
import { grantsFor } from './rights.ts'

export interface SchemaAddress {
  readonly url: string
  readonly schema: string
  readonly connectTimeoutMs: number
}

export interface SchemaPlace {
  /** A connection pooler is between this process and the database. */
  readonly isPooled: boolean
  /** The same for all connections to this database, until it is restarted. */
  readonly database: string
}

export interface Migrated {
  /** The names of the migrations that were missing. */
  readonly applied: readonly string[]
  /** The role that owns what was made. */
  readonly role: string
}

const insufficientPrivilege = '42501'

/** Checks the schema, and brings it up to date where this role may. */
export function prepareSchema(address: SchemaAddress): Promise<SchemaPlace> {
  const { schema } = address
  return onConnection(address, async (client) => {
    const isPooled = !(await isDirectConnection(client))
    const missing = await missingIn(client, schema)
    if (missing.length > 0 && isPooled) throw needsMigrate(schema, missing, 'pooled')
    if (missing.length > 0) await apply(client, schema, missing)
    await checkRights(client, schema)
    await checkWritable(client)
    return { isPooled, database: await databaseOf(client) }
  })
}

/** Brings the schema up to date, and grants a role what a gateway needs. */
export function migrateSchema(address: SchemaAddress, grantTo?: string): Promise<Migrated> {
  const { schema } = address
  return onConnection(address, async (client) => {
    if (!(await isDirectConnection(client))) {
      throw misconfigured(
        'Migrations need a connection to the database itself. This address leads to a connection pooler.',
      )
    }
    const { rows } = await client.query<{ role: string }>('select current_user as role')
    const role = rows[0]?.role ?? ''
    if (grantTo === role) {
      throw misconfigured(
        `"${role}" owns the tables, and may do anything with them. Let the gateways use another role.`,
      )
    }
    const missing = await missingIn(client, schema)
    if (missing.length > 0) await apply(client, schema, missing)
    if (grantTo !== undefined) await grant(client, grantsFor(schema, grantTo))
    return { applied: missing.map(({ name }) => name), role }
  })
}

/** Where an address leads: which database, and whether through a pooler. Undefined when it cannot be reached. */
export async function lookAt(url: string, connectTimeoutMs: number): Promise<SchemaPlace | undefined> {
  return onConnection({ url, connectTimeoutMs }, async (client) => {
    return { isPooled: !(await isDirectConnection(client)), database: await databaseOf(client) }
  }).catch(() => undefined)
}

/** A connection of its own, without a statement timeout: a migration may have to wait for nineteen others. */
async function onConnection<Value>(
  { url, connectTimeoutMs }: Omit<SchemaAddress, 'schema'>,
  work: (client: pg.Client) => Promise<Value>,
): Promise<Value> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs })
  // A connection that breaks says so by an event too, which without a listener would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    throw new AssentError('store_unavailable', `PostgreSQL cannot be reached: ${String(error)}`, { cause: error })
  }
  try {
    return await work(client)
  } catch (error) {
    throw isAssentError(error) ? error : explain(error)
  } finally {
    await client.end()
  }
}

async function apply(client: pg.Client, schema: string, missing: readonly Migration[]): Promise<void> {
  // It holds a lock: should this machine vanish, the server must notice and let go of it.
  await client.query(
    `set search_path = ${schema}; set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3`,
  )
  try {
    await applyMigrations(client, schema)
  } catch (error) {
    if ((error as { code?: string }).code !== insufficientPrivilege) throw error
    throw needsMigrate(schema, missing, String((error as Error).message))
  }
}

async function grant(client: pg.Client, statements: readonly string[]): Promise<void> {
  // All or nothing: running gateways must not lose a right in between.
  await client.query(['begin', ...statements, 'commit'].join(';\n'))
}

/** A standby, or a server that was the primary until just now, would be found out only by the first decision. */
async function checkWritable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ value: string }>(`select current_setting('transaction_read_only') as value`)
  if (rows[0]?.value === 'on') {
    throw new AssentError('store_unavailable', 'The database only reads: it is a standby, or set to read only.')
  }
}

async function databaseOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ database: string }>(
    `select oid || ' ' || extract(epoch from pg_postmaster_start_time()) as database
     from pg_database where datname = current_database()`,
  )
  return rows[0]?.database ?? ''
}
