// Signals between processes that share one SQLite file: a number that the file changes at every commit.
//
// `pragma data_version` reads it without touching a table. It moves only for commits of other connections, so a
// connection of its own sees all of them, this process's too. It says that something changed, not what.

import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Signals } from './signals.ts'

export class SqliteSignals implements Signals {
  readonly transport = 'file'
  readonly isNamed = false
  readonly counts = { received: 0, reconnects: 0 }
  readonly #path: string
  readonly #lookEveryMs: number
  readonly #onTrouble: (error: unknown) => void
  #database: DatabaseSync | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(path: string, lookEveryMs: number, onTrouble: (error: unknown) => void) {
    this.#path = path
    this.#lookEveryMs = lookEveryMs
    this.#onTrouble = onTrouble
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
        this.#onTrouble(error)
      }
    }, this.#lookEveryMs)
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
