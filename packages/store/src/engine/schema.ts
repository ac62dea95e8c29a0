// Checks a PostgreSQL schema before a store is opened on it: its migrations, and the rights of this role. Missing migrations are
// applied if the role may do that; otherwise `assent migrate` must be run as the owner.

import { AssentError, isAssentError } from '@assent/core'
import pg from 'pg'
import { checkRights } from './check-rights.ts'
import { isDirectConnection } from './connection-settings.ts'
import { applyMigrations } from './migrate-postgres.ts'
import type { Migration } from './migrations.ts'
import { misconfigured } from './misconfigured.ts'
import { migrationNeeded, missingMigrations } from './missing-migrations.ts'
import { storeError } from './postgres.ts'
import { grantsFor } from './rights.ts'

export interface SchemaAddress {
  readonly url: string
  readonly schema: string
  readonly connectTimeoutMs: number
}

export interface DatabaseIdentity {
  /** Whether the connection leads through a pooler. */
  readonly isPooled: boolean
  /** Equal for all connections to the same database, until the server restarts. */
  readonly database: string
}

export interface MigrationResult {
  /** The names of the migrations that were applied. */
  readonly applied: readonly string[]
  /** The role that owns the tables. */
  readonly role: string
}

const insufficientPrivilege = '42501'
/** A database may answer more slowly than it accepts connections: the time for a check, in times that connecting may take. */
const checkTimeoutFactor = 6

/** Checks the schema, and applies missing migrations if this role may. */
export function prepareSchema(address: SchemaAddress): Promise<DatabaseIdentity> {
  const { schema } = address
  return onConnection(forChecks(address), async (client) => {
    const isPooled = !(await isDirectConnection(client))
    const missing = await missingMigrations(client, schema)
    if (missing.length > 0 && isPooled) throw migrationNeeded(schema, missing, 'pooled')
    if (missing.length > 0) {
      await onConnection(forMigrations(address), (migrating) => apply(migrating, schema, missing))
    }
    await checkRights(client, schema)
    await checkWritable(client)
    return { isPooled, database: await databaseId(client) }
  })
}

/** Applies missing migrations, and grants a role the rights that a gateway needs. */
export function migrateSchema(address: SchemaAddress, grantTo?: string): Promise<MigrationResult> {
  const { schema } = address
  return onConnection(forMigrations(address), async (client) => {
    if (!(await isDirectConnection(client))) {
      throw misconfigured(
        'Migrations need a connection to the database itself, and this address leads to a connection pooler.',
      )
    }
    const { rows } = await client.query<{ role: string }>('select current_user as role')
    const role = rows[0]?.role ?? ''
    if (grantTo === role) {
      throw misconfigured(
        `"${role}" owns the tables, so it has all rights already. Name another role, which the gateways use.`,
      )
    }
    const missing = await missingMigrations(client, schema)
    if (missing.length > 0) await apply(client, schema, missing)
    if (grantTo !== undefined) await grant(client, grantsFor(schema, grantTo))
    return { applied: missing.map(({ name }) => name), role }
  })
}

/** Which database an address leads to, and whether through a pooler. Undefined if it cannot be reached. */
export async function identifyDatabase(url: string, connectTimeoutMs: number): Promise<DatabaseIdentity | undefined> {
  return onConnection(forChecks({ url, connectTimeoutMs }), async (client) => {
    return { isPooled: !(await isDirectConnection(client)), database: await databaseId(client) }
  }).catch(() => undefined)
}

type Address = Pick<SchemaAddress, 'url' | 'connectTimeoutMs'>

/** Without a time limit: other replicas may be migrating, and building an index takes as long as it takes. */
function forMigrations({ url, connectTimeoutMs }: Address): pg.ClientConfig {
  return { connectionString: url, connectionTimeoutMillis: connectTimeoutMs }
}

function forChecks(address: Address): pg.ClientConfig {
  return { ...forMigrations(address), query_timeout: address.connectTimeoutMs * checkTimeoutFactor }
}

async function onConnection<Value>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Value>,
): Promise<Value> {
  const client = new pg.Client(config)
  // Without a listener, the error of a broken connection would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    throw new AssentError('store_unavailable', `PostgreSQL cannot be reached: ${String(error)}`, { cause: error })
  }
  try {
    return await work(client)
  } catch (error) {
    throw isAssentError(error) ? error : storeError(error)
  } finally {
    await client.end()
  }
}

async function apply(client: pg.Client, schema: string, missing: readonly Migration[]): Promise<void> {
  // This connection holds the migration lock: if this machine disappears, the server must notice and release it.
  await client.query(
    `set search_path = ${schema}; set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3`,
  )
  try {
    await applyMigrations(client, schema)
  } catch (error) {
    if ((error as { code?: string }).code !== insufficientPrivilege) throw error
    throw migrationNeeded(schema, missing, String((error as Error).message))
  }
}

async function grant(client: pg.Client, statements: readonly string[]): Promise<void> {
  // In one transaction: running gateways must not lose a right in between.
  await client.query(['begin', ...statements, 'commit'].join(';\n'))
}

/** Otherwise only the first decision would show that this is a standby, or a former primary. */
async function checkWritable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ value: string }>(`select current_setting('transaction_read_only') as value`)
  if (rows[0]?.value === 'on') {
    throw new AssentError('store_unavailable', 'The database is read-only: it is a standby, or set to read-only.')
  }
}

async function databaseId(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ database: string }>(
    `select oid || ' ' || extract(epoch from pg_postmaster_start_time()) as database
     from pg_database where datname = current_database()`,
  )
  return rows[0]?.database ?? ''
}
