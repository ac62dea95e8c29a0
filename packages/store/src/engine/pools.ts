// The connections to PostgreSQL: those that people and callers wait on, a few for background work, and one for the
// check that writes are confirmed, so that none of them stands behind another.

import pg from 'pg'
import type { ConnectionSettings } from './connection-settings.ts'
import type { PoolState } from './engine.ts'
import { cut } from './pulse-line.ts'
import type { Step } from './statement.ts'

export interface PoolKind {
  readonly config: pg.PoolConfig
  readonly settings: ConnectionSettings
}

interface Pool {
  readonly pool: pg.Pool
  readonly settings: ConnectionSettings
}

export interface PoolsOptions {
  readonly hurried: PoolKind
  readonly unhurried: PoolKind
  readonly apart: PoolKind
  readonly onTrouble: (error: unknown) => void
}

const closeWithinMs = 2_000

export class Pools {
  readonly #hurried: Pool
  readonly #unhurried: Pool
  readonly #apart: Pool
  readonly #clients = new Set<pg.ClientBase>()

  constructor({ hurried, unhurried, apart, onTrouble }: PoolsOptions) {
    this.#hurried = this.#open(hurried, onTrouble)
    this.#unhurried = this.#open(unhurried, onTrouble)
    this.#apart = this.#open(apart, onTrouble)
  }

  of({ isUnhurried, isApart }: Pick<Step, 'isUnhurried' | 'isApart'>): Pool {
    if (isApart === true) return this.#apart
    return isUnhurried === true ? this.#unhurried : this.#hurried
  }

  /** Those that people and callers wait on. */
  get state(): PoolState {
    const { totalCount, idleCount, waitingCount, options } = this.#hurried.pool
    return { open: totalCount, idle: idleCount, waiting: waitingCount, most: options.max }
  }

  /** Lets what is under way come to its end; but nobody waits for a database that does not say farewell. */
  async end(): Promise<void> {
    setTimeout(() => this.#cut(), closeWithinMs).unref()
    await Promise.all([this.#hurried.pool.end(), this.#unhurried.pool.end(), this.#apart.pool.end()])
  }

  /** The same at once: everything that is under way breaks. */
  break(): void {
    void this.end()
    this.#cut()
  }

  #cut(): void {
    for (const client of this.#clients) cut(client)
  }

  #open({ config, settings }: PoolKind, onTrouble: (error: unknown) => void): Pool {
    const pool = new pg.Pool({ ...config, onConnect: (client) => this.#connected(client, settings) })
    // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
    pool.on('error', (error) => {
      if (!pool.ending) onTrouble(error)
    })
    pool.on('remove', (client) => this.#clients.delete(client))
    return { pool, settings }
  }

  /** The pool waits for it before it hands the connection out. */
  async #connected(client: pg.ClientBase, settings: ConnectionSettings): Promise<void> {
    this.#clients.add(client)
    // One that breaks in use would end the process too; what is under way on it, or comes next, fails by itself.
    client.on('error', () => undefined)
    try {
      await settings.apply(client)
    } catch (error) {
      this.#clients.delete(client)
      throw error
    }
  }
}
