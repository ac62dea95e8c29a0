// Which migrations a schema in PostgreSQL lacks, and what to do about it.

import type { AssentError } from '@assent/core'
import type pg from 'pg'
import { type Applied, type Migration, migrationsFor, pending } from './migrations.ts'
import { misconfigured } from './misconfigured.ts'

/** The migrations that a schema lacks. Throws when this role may not look. */
export async function missingIn(client: pg.Client, schema: string): Promise<Migration[]> {
  const { rows } = await client.query<{ role: string; may_read: boolean | null }>(
    `select current_user as role, has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as may_read
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = 'migrations'`,
    [schema],
  )
  const [ledger] = rows
  if (ledger?.may_read === false) {
    throw misconfigured(
      `The database role "${ledger.role}" may not use the schema "${schema}". Run as the owner of the tables: assent migrate --grants ${ledger.role}`,
    )
  }
  const applied =
    ledger === undefined ? [] : (await client.query<Applied>(`select name, digest from ${schema}.migrations`)).rows
  return pending(migrationsFor('postgres'), applied)
}

/** @param why a connection pooler is between, or what the database said to a role that may not */
export function needsMigrate(schema: string, missing: readonly Migration[], why: string): AssentError {
  const cure =
    why === 'pooled'
      ? 'Through a connection pooler it cannot be brought up to date: run `assent migrate` with the address of the database itself.'
      : `This database role may not change it (${why}): run \`assent migrate\` as its owner.`
  return misconfigured(`${lacks(schema, missing)} ${cure}`)
}

function lacks(schema: string, missing: readonly Migration[]): string {
  const isNew = missing.length === migrationsFor('postgres').length
  if (isNew) return `There are no tables of Assent in the schema "${schema}".`
  return `The schema "${schema}" is older than this version needs: it lacks ${missing.map(({ name }) => name).join(', ')}.`
}
