// The connections to PostgreSQL: those that people and callers wait on, and a few for what nobody waits for, so that the
// one never stands behind the other.

import pg from 'pg'
import { cut } from './pulse-line.ts'

export interface PoolsOptions {
  readonly hurried: pg.PoolConfig
  readonly unhurried: pg.PoolConfig
  readonly onTrouble: (error: unknown) => void
}

const closeWithinMs = 2_000

export class Pools {
  readonly #hurried: pg.Pool
  readonly #unhurried: pg.Pool
  readonly #clients = new Set<pg.PoolClient>()

  constructor({ hurried, unhurried, onTrouble }: PoolsOptions) {
    this.#hurried = this.#watched(new pg.Pool(hurried), onTrouble)
    this.#unhurried = this.#watched(new pg.Pool(unhurried), onTrouble)
  }

  of(isUnhurried: boolean): pg.Pool {
    return isUnhurried ? this.#unhurried : this.#hurried
  }

  /** Lets what is under way come to its end; but nobody waits for a database that does not say farewell. */
  async end(): Promise<void> {
    setTimeout(() => this.#cut(), closeWithinMs).unref()
    await Promise.all([this.#hurried.end(), this.#unhurried.end()])
  }

  /** The same at once: everything that is under way breaks. */
  break(): void {
    void this.end()
    this.#cut()
  }

  #cut(): void {
    for (const client of this.#clients) cut(client)
  }

  #watched(pool: pg.Pool, onTrouble: (error: unknown) => void): pg.Pool {
    // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
    pool.on('error', (error) => {
      if (!pool.ending) onTrouble(error)
    })
    pool.on('connect', (client) => {
      this.#clients.add(client)
      // So would one that breaks in use; what is under way on it, or comes next, fails by itself.
      client.on('error', () => undefined)
    })
    pool.on('remove', (client) => this.#clients.delete(client))
    return pool
  }
}
