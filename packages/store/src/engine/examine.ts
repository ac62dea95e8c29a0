// Examines a database before it is used: whether it can be reached and written to, and which migrations it has.
//
// It changes no table and leaves no data: the only write is a row that is deleted at once.

import { randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AssentError } from '@assent/core'
import pg from 'pg'
import { checkRights } from './check-rights.ts'
import { isDirectConnection } from './connection-settings.ts'
import { type AppliedMigration, type Migration, migrationsFor, pendingMigrations } from './migrations.ts'
import { migrationNeeded, missingMigrations } from './missing-migrations.ts'

/** The database could be reached, and this version can work on it. */
export interface DatabaseReport {
  /** The schema of its tables; undefined for a file. */
  readonly schema: string | undefined
  readonly applied: number
  /** Missing migrations; all of them in a new database. */
  readonly missing: readonly string[]
  /** Why it refuses or does not confirm writes; undefined if a write was confirmed. */
  readonly writeProblem: string | undefined
}

const connectMs = 5_000
/** Timeout of each statement, also of a commit that waits for a standby. */
const answerMs = 3_000

/**
 * Throws if the database cannot be reached, was made by an incompatible version, lacks migrations that this role may not
 * apply, or gives this role too few rights.
 */
export async function examinePostgres(url: string, { schema = 'assent' } = {}): Promise<DatabaseReport> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs, query_timeout: answerMs })
  // Without a listener, a connection that breaks would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const missing = await missingMigrations(client, schema)
    const isNew = missing.length === migrationsFor('postgres').length
    const mode = await client.query<{ mode: string }>(`select current_setting('transaction_read_only') as mode`)
    const isReadOnly = mode.rows[0]?.mode === 'on'
    if (missing.length === 0) await checkRights(client, schema)
    else if (!isReadOnly) await checkMayMigrate(client, schema, missing)
    const applied = migrationsFor('postgres').length - missing.length
    const writeProblem = isReadOnly
      ? 'The database is read-only.'
      : isNew
        ? undefined
        : await writeProblemOf(client, `${schema}.replicas`)
    return { schema, applied, missing: missing.map(({ name }) => name), writeProblem }
  } catch (error) {
    if (error instanceof AssentError) throw error
    throw new AssentError('store_unavailable', `PostgreSQL cannot be reached: ${reasonOf(error)}`, { cause: error })
  } finally {
    // A server that does not answer does not close the connection either.
    await Promise.race([client.end(), new Promise((resolve) => setTimeout(resolve, 500).unref())])
  }
}

/** Throws if a gateway with this address could not apply the missing migrations at its start. */
async function checkMayMigrate(client: pg.Client, schema: string, missing: readonly Migration[]): Promise<void> {
  if (!(await isDirectConnection(client))) throw migrationNeeded(schema, missing, 'pooled')
  const { rows } = await client.query<{ may: boolean }>(
    `select coalesce(
       (select pg_has_role(nspowner, 'usage') from pg_namespace where nspname = $1),
       has_database_privilege(current_database(), 'create')
     ) as may`,
    [schema],
  )
  if (rows[0]?.may !== true) throw migrationNeeded(schema, missing, `it does not own the schema ${schema}`)
}

async function writeProblemOf(client: pg.Client, table: string): Promise<string | undefined> {
  const id = `check ${randomUUID()}`
  try {
    await client.query(`insert into ${table} (id, lease_until) values ($1, 0)`, [id])
    await client.query(`delete from ${table} where id = $1`, [id])
    return undefined
  } catch (error) {
    const reason = reasonOf(error)
    return /timeout/i.test(reason) ? `The database did not confirm a write within ${answerMs / 1_000} s.` : reason
  }
}

/** Throws if the file cannot be opened, or was made by an incompatible version. A missing file is not created. */
export function examineSqlite(path: string): DatabaseReport {
  const all = migrationsFor('sqlite')
  if (!existsSync(path)) {
    const missing = all.map(({ name }) => name)
    return { schema: undefined, applied: 0, missing, writeProblem: folderProblemOf(dirname(path)) }
  }
  const database = new DatabaseSync(path, { timeout: answerMs, readOnly: !mayWrite(path) })
  try {
    const has = (table: string) =>
      database.prepare(`select 1 from sqlite_master where type = 'table' and name = ?`).get(table) !== undefined
    const applied = has('migrations')
      ? (database.prepare('select name, digest from migrations').all() as AppliedMigration[])
      : []
    const missing = pendingMigrations(all, applied).map(({ name }) => name)
    const writeProblem = mayWrite(path) ? fileProblemOf(database, has('replicas')) : 'This user may not write to it.'
    return { schema: undefined, applied: applied.length, missing, writeProblem }
  } finally {
    database.close()
  }
}

function fileProblemOf(database: DatabaseSync, hasTable: boolean): string | undefined {
  if (!hasTable) return undefined
  const id = `check ${randomUUID()}`
  try {
    database.prepare('insert into replicas (id, lease_until) values (?, 0)').run(id)
    database.prepare('delete from replicas where id = ?').run(id)
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

/** Checks the nearest existing folder: missing ones are created in it. */
function folderProblemOf(folder: string): string | undefined {
  if (!existsSync(folder)) return folderProblemOf(dirname(folder))
  return mayWrite(folder) ? undefined : `This user may not write to ${folder}.`
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
