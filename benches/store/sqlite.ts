// The same two figures on SQLite, for information: one process, one file, every commit synced to disk.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqlite } from '@assent/store'
import { median, quantile, say, seconds, whole } from './figures.ts'
import { ann, askId, keys, loadAsks, someoneOfEveryone, tenantOf } from './load.ts'

const tenant = tenantOf(0, 1)

export async function onSqlite(sizes: { asks: number; settleSeconds: number; pages: number }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-bench-'))
  const path = join(folder, 'assent.db')
  try {
    const store = await openSqlite(path, { keys })
    try {
      const startedAt = performance.now()
      loadInto(path, sizes.asks)
      say(`SQLite, for information: ${whole(sizes.asks)} open asks loaded in ${seconds(startedAt)}`)

      const pageMs: number[] = []
      for (let i = 0; i < sizes.pages; i++) {
        const before = performance.now()
        await store.inbox.page({ tenant, person: someoneOfEveryone, show: 'open' })
        pageMs.push(performance.now() - before)
      }
      const settlesFrom = performance.now()
      let n = 0
      for (; n < sizes.asks && performance.now() - settlesFrom < sizes.settleSeconds * 1_000; n++) {
        await store.asks.answer({ tenant, id: askId(n), person: ann, via: 'inbox', answer: { action: 'accept' } })
      }
      const rate = (n * 1_000) / (performance.now() - settlesFrom)
      const pages = `p50 ${median(pageMs).toFixed(2)} ms, p95 ${quantile(pageMs, 0.95).toFixed(2)} ms`
      say(`SQLite, for information: ${whole(rate)} settles/s one after another; everyone’s first page ${pages}`)
    } finally {
      await store.close()
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function loadInto(path: string, count: number): void {
  const database = new DatabaseSync(path)
  try {
    database.exec('begin')
    const asks = { from: 0, to: count, tenants: 1, people: 1, alsoToEveryone: true }
    for (const sql of loadAsks(asks, Date.now() - 60 * 60_000)) database.exec(sql)
    database.exec('commit')
    database.exec('analyze')
  } finally {
    database.close()
  }
}
