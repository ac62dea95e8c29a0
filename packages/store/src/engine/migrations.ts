// The migrations of this version, as they stand in their files, and which of them a database still lacks.
//
// Migrations only add, so that an older version can go on beside a newer one. One that was applied is never changed: its
// digest is kept and compared.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { misconfigured } from './misconfigured.ts'

export interface Migration {
  readonly name: string
  readonly sql: string
  readonly digest: string
}

export interface Applied {
  readonly name: string
  readonly digest: string
}

const folder = new URL('../../migrations/', import.meta.url)
export const createLedger = `create table if not exists migrations (
  name text not null primary key,
  digest text not null
)`

/** What a migration that ends the support of older versions writes into the ledger, before the name of one they lack. */
const needs = 'needs '

/** `0002-asks.sql` is for both engines, `0001-functions.postgres.sql` for one. */
export function migrationsFor(engine: 'postgres' | 'sqlite'): Migration[] {
  return readdirSync(folder)
    .filter((file) => new RegExp(`^\\d{4}-[a-z-]+(\\.${engine})?\\.sql$`).test(file))
    .sort()
    .map((file) => {
      const sql = readFileSync(new URL(file, folder), 'utf8')
      return { name: file, sql, digest: createHash('sha256').update(sql).digest('hex') }
    })
}

/** Whether it makes indexes and nothing else: then of tables that others may be using. */
export function isOfIndexes({ sql }: Pick<Migration, 'sql'>): boolean {
  return statementsOf(sql).every((one) => /^create (unique )?index\b/i.test(one))
}

/** Throws where this version must not touch the database at all. */
export function pending(all: readonly Migration[], applied: readonly Applied[]): Migration[] {
  const known = new Map(applied.map(({ name, digest }) => [name, digest]))
  for (const { name, digest } of all) {
    const earlier = known.get(name)
    if (earlier !== undefined && earlier !== digest) {
      throw misconfigured(`Migration ${name} was changed after it had been applied to this database.`)
    }
  }
  const needed = [...known.keys()].flatMap((name) => (name.startsWith(needs) ? [name.slice(needs.length)] : []))
  const missing = needed.find((one) => !all.some(({ name }) => name === one))
  if (missing !== undefined) {
    throw misconfigured(
      `A newer version has changed this database in a way that this one does not know (${missing}). Start a newer version.`,
    )
  }
  return all.filter(({ name }) => !known.has(name))
}

/** The statements of a file, without its comments. */
export function statementsOf(sql: string): string[] {
  // Bodies of functions are quoted with $$ and may hold semicolons; comments run to the end of their line.
  const pieces = sql.match(/\$\$[\s\S]*?\$\$|'(?:[^']|'')*'|--[^\n]*|;|[^$';-]+|[\s\S]/g) ?? []
  const statements = ['']
  for (const piece of pieces) {
    if (piece.startsWith('--')) continue
    if (piece === ';') statements.push('')
    else statements[statements.length - 1] += piece
  }
  return statements.map((one) => one.trim()).filter((one) => one !== '')
}
