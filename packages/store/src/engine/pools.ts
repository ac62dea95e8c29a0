// The connections to PostgreSQL: those that people and callers wait on, a few for what nobody waits for, and one for the
// check that writes are confirmed, so that none of them stands behind another.

import pg from 'pg'
import { cut } from './pulse-line.ts'
import type { Step } from './statement.ts'

export interface PoolsOptions {
  readonly hurried: pg.PoolConfig
  readonly unhurried: pg.PoolConfig
  readonly apart: pg.PoolConfig
  readonly onTrouble: (error: unknown) => void
}

const closeWithinMs = 2_000

export class Pools {
  readonly #hurried: pg.Pool
  readonly #unhurried: pg.Pool
  readonly #apart: pg.Pool
  readonly #clients = new Set<pg.PoolClient>()

  constructor({ hurried, unhurried, apart, onTrouble }: PoolsOptions) {
    this.#hurried = this.#watched(new pg.Pool(hurried), onTrouble)
    this.#unhurried = this.#watched(new pg.Pool(unhurried), onTrouble)
    this.#apart = this.#watched(new pg.Pool(apart), onTrouble)
  }

  of({ isUnhurried, isApart }: Pick<Step, 'isUnhurried' | 'isApart'>): pg.Pool {
    if (isApart === true) return this.#apart
    return isUnhurried === true ? this.#unhurried : this.#hurried
  }

  /** Lets what is under way come to its end; but nobody waits for a database that does not say farewell. */
  async end(): Promise<void> {
    setTimeout(() => this.#cut(), closeWithinMs).unref()
    await Promise.all([this.#hurried.end(), this.#unhurried.end(), this.#apart.end()])
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
