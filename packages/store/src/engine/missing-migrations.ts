// Which migrations a PostgreSQL schema lacks, and the error that explains how to apply them.

import type { AssentError } from '@assent/core'
import type pg from 'pg'
import { type AppliedMigration, type Migration, migrationsFor, pendingMigrations } from './migrations.ts'
import { misconfigured } from './misconfigured.ts'

/** The migrations that a schema lacks. Throws if this role may not read them. */
export async function missingMigrations(client: pg.Client, schema: string): Promise<Migration[]> {
  const { rows } = await client.query<{ role: string; may_read: boolean | null }>(
    `select current_user as role, has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as may_read
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = 'migrations'`,
    [schema],
  )
  const [table] = rows
  if (table?.may_read === false) {
    throw misconfigured(
      `The database role "${table.role}" may not use the schema "${schema}". Run as the owner of the tables: assent migrate --grants ${table.role}`,
    )
  }
  const applied =
    table === undefined
      ? []
      : (await client.query<AppliedMigration>(`select name, digest from ${schema}.migrations`)).rows
  return pendingMigrations(migrationsFor('postgres'), applied)
}

/** @param why 'pooled' if the connection leads through a pooler, otherwise the reason why this role may not migrate */
export function migrationNeeded(schema: string, missing: readonly Migration[], why: string): AssentError {
  const remedy =
    why === 'pooled'
      ? 'Migrations cannot run through a connection pooler: run `assent migrate` with the address of the database itself.'
      : `This database role may not change it (${why}): run \`assent migrate\` as its owner.`
  return misconfigured(`${problemOf(schema, missing)} ${remedy}`)
}

function problemOf(schema: string, missing: readonly Migration[]): string {
  const isNew = missing.length === migrationsFor('postgres').length
  if (isNew) return `There are no tables of Assent in the schema "${schema}".`
  return `The schema "${schema}" is older than this version needs: it lacks ${missing.map(({ name }) => name).join(', ')}.`
}
