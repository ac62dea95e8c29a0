// Looks at a database before anything runs on it: can it be reached, which migrations it has, can it be written to.
//
// Nothing of its shape is changed and no data stays: the only write is a row that is deleted at once.

import { randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AssentError } from '@assent/core'
import pg from 'pg'
import { checkRights } from './check-rights.ts'
import { isDirectConnection } from './connection-settings.ts'
import { type Applied, type Migration, migrationsFor, pending } from './migrations.ts'
import { missingIn, needsMigrate } from './missing-migrations.ts'

/** The database could be reached, and this version can work on it. */
export interface Examined {
  /** Where its tables are; undefined for a file. */
  readonly schema: string | undefined
  readonly applied: number
  /** Migrations that are missing; all of them in a new database. */
  readonly missing: readonly string[]
  /** Why it refuses or does not confirm writes; undefined when a write was confirmed. */
  readonly writeProblem: string | undefined
}

const connectMs = 5_000
/** For each statement. A commit that waits for a standby is cut off by this. */
const answerMs = 3_000

/**
 * Throws, in words, when it cannot be reached, was changed by a newer version, lacks migrations that this role may not
 * apply, or gives this role too few rights.
 */
export async function examinePostgres(url: string, { schema = 'assent' } = {}): Promise<Examined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs, query_timeout: answerMs })
  // Without a listener, a connection that breaks would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const missing = await missingIn(client, schema)
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
    // A server that does not answer does not say goodbye either.
    await Promise.race([client.end(), new Promise((resolve) => setTimeout(resolve, 500).unref())])
  }
}

/** Throws when the start of a gateway with this address could not bring the schema up to date. */
async function checkMayMigrate(client: pg.Client, schema: string, missing: readonly Migration[]): Promise<void> {
  if (!(await isDirectConnection(client))) throw needsMigrate(schema, missing, 'pooled')
  const { rows } = await client.query<{ may: boolean }>(
    `select coalesce(
       (select pg_has_role(nspowner, 'usage') from pg_namespace where nspname = $1),
       has_database_privilege(current_database(), 'create')
     ) as may`,
    [schema],
  )
  if (rows[0]?.may !== true) throw needsMigrate(schema, missing, `it does not own the schema ${schema}`)
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

/** Throws when the file cannot be opened, or was changed by a newer version. A file that does not exist is not made. */
export function examineSqlite(path: string): Examined {
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
      ? (database.prepare('select name, digest from migrations').all() as unknown as Applied[])
      : []
    const missing = pending(all, applied).map(({ name }) => name)
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

/** Of the nearest folder that exists: the others are made in it. */
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
