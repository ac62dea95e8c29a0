// The cost of extending audit logs: many logs by one entry each, and one log by many entries.
//
// Measured on PostgreSQL through the store, like the cost of an ask (cost.ts).

import type { AuditNote, Store } from '@assent/store'
import { tenantOf } from '../store/load.ts'
import { inFreshSchema } from '../store/test-db.ts'

export interface LogCost {
  /** Extending one log by one entry, without writing the entry. */
  readonly stepNodeUs: number
  readonly stepDatabaseUs: number
  readonly stepLogBytes: number
  /** Write-ahead log of a note, if many are written at once. */
  readonly noteLogBytes: number
  /** Entries per second that one process adds to one log. */
  readonly entriesPerSecond: number
}

const logs = 64
/** Before the measurement each log has this many entries, so that its last tile is half full. */
const entriesBefore = 128

export async function costOfLogs(steps: number, entries: number): Promise<LogCost> {
  return inFreshSchema(async (testDb) => {
    const store = await testDb.open(4)
    const tenants = Array.from({ length: logs }, (_, n) => tenantOf(n, logs))
    for (const tenant of tenants) await extend(store, tenant, entriesBefore)
    const walBytes = async () => {
      const [row] = await testDb.rows<{ bytes: string }>(`select pg_current_wal_insert_lsn() - '0/0' as bytes`)
      return Number(row?.bytes)
    }

    const spent = { node: 0, databaseMs: 0, bytes: 0 }
    const rounds = Math.ceil(steps / logs)
    for (let round = 0; round < rounds; round++) {
      for (const tenant of tenants) await store.audit.append(tenant, [note(round)])
      const bytes = await walBytes()
      const node = process.cpuUsage()
      spent.databaseMs += await testDb.cpuMsDuring(async () => {
        for (const tenant of tenants) await store.audit.integrate(tenant)
      })
      const { user, system } = process.cpuUsage(node)
      spent.node += user + system
      spent.bytes += (await walBytes()) - bytes
    }
    const done = rounds * logs

    const [one = ''] = tenants
    const notes = Math.ceil(entries / notesAtOnce) * notesAtOnce
    const bytesBefore = await walBytes()
    for (let at = 0; at < notes; at += notesAtOnce) await appendNotes(store, one, notesAtOnce)
    const noteBytes = (await walBytes()) - bytesBefore
    const startedAt = performance.now()
    await store.audit.integrate(one)
    const seconds = (performance.now() - startedAt) / 1_000
    return {
      noteLogBytes: noteBytes / notes,
      stepNodeUs: spent.node / done,
      stepDatabaseUs: (spent.databaseMs * 1_000) / done,
      stepLogBytes: spent.bytes / done,
      entriesPerSecond: notes / seconds,
    }
  })
}

const notesAtOnce = 100

async function extend(store: Store, tenant: string, entries: number): Promise<void> {
  await appendNotes(store, tenant, entries)
  await store.audit.integrate(tenant)
}

async function appendNotes(store: Store, tenant: string, count: number): Promise<void> {
  await store.audit.append(
    tenant,
    Array.from({ length: count }, (_, n) => note(n)),
  )
}

function note(n: number): AuditNote {
  return { subject: `call_${n}`, body: { event: 'question', server: 'deploy', key: 'approve', digest: 'a'.repeat(64) } }
}
