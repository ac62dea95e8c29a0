// Applies missing migrations to a SQLite file in one transaction: other processes that open the file wait for it.

import type { DatabaseSync } from 'node:sqlite'
import { type AppliedMigration, createMigrationsTable, migrationsFor, pendingMigrations } from './migrations.ts'

export function migrateSqlite(database: DatabaseSync): void {
  database.exec('begin immediate')
  try {
    database.exec(createMigrationsTable)
    const applied = database.prepare('select name, digest from migrations').all() as AppliedMigration[]
    const insert = database.prepare('insert into migrations (name, digest) values (?, ?)')
    for (const migration of pendingMigrations(migrationsFor('sqlite'), applied)) {
      database.exec(migration.sql)
      insert.run(migration.name, migration.digest)
    }
    database.exec('commit')
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}
