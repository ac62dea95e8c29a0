// Brings a database file to the shape this version needs, in one transaction: whoever opens it meanwhile waits for it.

import type { DatabaseSync } from 'node:sqlite'
import { type Applied, createLedger, migrationsFor, pending } from './migrations.ts'

export function migrateSqlite(database: DatabaseSync, all = migrationsFor('sqlite')): void {
  database.exec('begin immediate')
  try {
    database.exec(createLedger)
    const rows = database.prepare('select name, digest from migrations').all() as unknown as Applied[]
    const insert = database.prepare('insert into migrations (name, digest) values (?, ?)')
    for (const migration of pending(all, rows)) {
      database.exec(migration.sql)
      insert.run(migration.name, migration.digest)
    }
    database.exec('commit')
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}
