// The migrations of this version, read from their files, and which of them a database lacks.
//
// I1  Migrations only add, so that an older version can run beside a newer one on the same database.
// I2  A migration is never changed after a release: its digest is stored and compared.
// I3  A database that has migrations, but not the baseline, was made before the first release and is refused.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { misconfigured } from './misconfigured.ts'

export interface Migration {
  readonly name: string
  readonly sql: string
  readonly digest: string
}

/** A row of the table `migrations`. */
export type AppliedMigration = Pick<Migration, 'name' | 'digest'>

const folder = new URL('../../migrations/', import.meta.url)
const baseline = '0001-baseline.sql'

export const createMigrationsTable = `create table if not exists migrations (
  name text not null primary key,
  digest text not null
)`

/**
 * A migration that older versions cannot work with inserts a row with this prefix and its own name. Versions that do not have
 * that migration then refuse to start.
 */
const needs = 'needs '

/** `0001-baseline.sql` is for both engines, `0002-functions.postgres.sql` for one. */
export function migrationsFor(engine: 'postgres' | 'sqlite'): Migration[] {
  return readdirSync(folder)
    .filter((file) => new RegExp(`^\\d{4}-[a-z-]+(\\.${engine})?\\.sql$`).test(file))
    .sort()
    .map((file) => {
      const sql = readFileSync(new URL(file, folder), 'utf8')
      return { name: file, sql, digest: createHash('sha256').update(sql).digest('hex') }
    })
}

/** Whether it only creates indexes; these are built concurrently, because their tables may be in use. */
export function onlyCreatesIndexes({ sql }: Pick<Migration, 'sql'>): boolean {
  return statementsOf(sql).every((one) => /^create (unique )?index\b/i.test(one))
}

/** The migrations to apply. Throws if this version must not use the database. */
export function pendingMigrations(all: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const digests = new Map(applied.map(({ name, digest }) => [name, digest]))
  if (digests.size > 0 && !digests.has(baseline)) {
    throw misconfigured(
      'This database was made by an older development version of Assent, and cannot be upgraded. Create a new one: an empty PostgreSQL database or schema, or a new SQLite file.',
    )
  }
  for (const { name, digest } of all) {
    const stored = digests.get(name)
    if (stored !== undefined && stored !== digest) {
      throw misconfigured(
        `Migration ${name} was changed after it had been applied to this database. Start the version that applied it, or create a new database.`,
      )
    }
  }
  const needed = [...digests.keys()].flatMap((name) => (name.startsWith(needs) ? [name.slice(needs.length)] : []))
  const unknown = needed.find((one) => !all.some(({ name }) => name === one))
  if (unknown !== undefined) {
    throw misconfigured(
      `A newer version of Assent has changed this database in a way that this version does not support (${unknown}). Start a newer version.`,
    )
  }
  return all.filter(({ name }) => !digests.has(name))
}

/** The statements of a file, without its comments. */
export function statementsOf(sql: string): string[] {
  // Function bodies are quoted with $$ and may contain semicolons; comments extend to the end of their line.
  const pieces = sql.match(/\$\$[\s\S]*?\$\$|'(?:[^']|'')*'|--[^\n]*|;|[^$';-]+|[\s\S]/g) ?? []
  const statements = ['']
  for (const piece of pieces) {
    if (piece.startsWith('--')) continue
    if (piece === ';') statements.push('')
    else statements[statements.length - 1] += piece
  }
  return statements.map((one) => one.trim()).filter((one) => one !== '')
}
