// Signals between processes that share one SQLite file: a counter that changes at every commit of another process.
//
// `pragma data_version` reads it without reading a table. On the connection that this process writes with, it does not change
// for its own commits. It shows that something changed, not what.

import type { Signals } from './signals.ts'

export class SqliteSignals implements Signals {
  readonly transport = 'file'
  readonly isNamed = false
  readonly counts = { received: 0, reconnects: 0 }
  readonly #dataVersion: () => unknown
  readonly #pollMs: number
  readonly #onError: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined

  /** @param dataVersion the counter, read on the connection that this process writes with */
  constructor(dataVersion: () => unknown, pollMs: number, onError: (error: unknown) => void) {
    this.#dataVersion = dataVersion
    this.#pollMs = pollMs
    this.#onError = onError
  }

  publish(): void {
    // Nothing to send: the commit itself is the signal.
  }

  follow(): void {
    // The counter is the same for all tenants.
  }

  start(onSignal: () => void): void {
    let seen = this.#dataVersion()
    this.#timer = setInterval(() => {
      try {
        const current = this.#dataVersion()
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
  }
}
