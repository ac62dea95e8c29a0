// Signals between processes that share one SQLite file: a counter that changes at every commit.
//
// `pragma data_version` reads it without reading a table. It changes only for commits of other connections, so a separate
// connection sees all commits, including this process's own. It shows that something changed, not what.

import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Signals } from './signals.ts'

export class SqliteSignals implements Signals {
  readonly transport = 'file'
  readonly isNamed = false
  readonly counts = { received: 0, reconnects: 0 }
  readonly #path: string
  readonly #pollMs: number
  readonly #onError: (error: unknown) => void
  #database: DatabaseSync | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(path: string, pollMs: number, onError: (error: unknown) => void) {
    this.#path = path
    this.#pollMs = pollMs
    this.#onError = onError
  }

  publish(): void {
    // Nothing to send: the commit itself is the signal.
  }

  start(onSignal: () => void): void {
    this.#database ??= new DatabaseSync(this.#path, { readOnly: true })
    const version = this.#database.prepare('pragma data_version')
    let seen = versionOf(version)
    this.#timer = setInterval(() => {
      try {
        const current = versionOf(version)
        if (current === seen) return
        seen = current
        this.counts.received += 1
        onSignal()
      } catch (error) {
        this.#onError(error)
      }
    }, this.#pollMs)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async close(): Promise<void> {
    this.stop()
    this.#database?.close()
    this.#database = undefined
  }
}

function versionOf(statement: StatementSync): unknown {
  return statement.get()?.data_version
}
