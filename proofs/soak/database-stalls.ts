// Stalls of the database during a run: times in which a small commit took as long as a replica waits for the database.
//
// On a shared machine the disk stalls now and then. A replica then refuses calls, which is no fault of a restart.

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { postgresUrl } from '../../test-kit/postgres.ts'

export interface DatabaseStall {
  readonly startedAtMs: number
  readonly endedAtMs: number
}

const everyMs = 50
/** Replicas wait a second for a lock and two for a statement; a commit that stalled may hold both up. */
const leastMs = 800
/** Writes to the log of the database and to no table. */
const smallCommit = `select pg_logical_emit_message(true, 'assent-soak', '')`

export class DatabaseStalls {
  readonly stalls: DatabaseStall[] = []
  #isOver = false
  #watching: Promise<void> = Promise.resolve()

  static async watch(): Promise<DatabaseStalls> {
    const client = new pg.Client({ connectionString: postgresUrl })
    await client.connect()
    const watch = new DatabaseStalls()
    watch.#watching = watch.#watch(client).finally(() => client.end())
    // An error is thrown by `stop`.
    watch.#watching.catch(() => undefined)
    return watch
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#watching
  }

  async #watch(client: pg.Client): Promise<void> {
    while (!this.#isOver) {
      const startedAtMs = Date.now()
      await client.query(smallCommit)
      const endedAtMs = Date.now()
      if (endedAtMs - startedAtMs >= leastMs) this.stalls.push({ startedAtMs, endedAtMs })
      await sleep(everyMs)
    }
  }
}
