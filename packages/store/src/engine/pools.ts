// Three pools of connections to PostgreSQL: for requests, for background work, and one connection for the check that writes are
// confirmed. No statement of one pool waits for a connection of another.

import pg from 'pg'
import type { ConnectionSettings } from './connection-settings.ts'
import type { PoolState } from './engine.ts'
import { destroyConnection } from './health-connection.ts'
import type { Step } from './statement.ts'

export interface PoolSetup {
  readonly config: pg.PoolConfig
  readonly settings: ConnectionSettings
}

interface Pool {
  readonly pool: pg.Pool
  readonly settings: ConnectionSettings
}

export interface PoolsOptions {
  readonly foreground: PoolSetup
  readonly background: PoolSetup
  readonly isolated: PoolSetup
  readonly onError: (error: unknown) => void
}

const closeTimeoutMs = 2_000

export class Pools {
  readonly #foreground: Pool
  readonly #background: Pool
  readonly #isolated: Pool
  readonly #clients = new Set<pg.ClientBase>()

  constructor({ foreground, background, isolated, onError }: PoolsOptions) {
    this.#foreground = this.#open(foreground, onError)
    this.#background = this.#open(background, onError)
    this.#isolated = this.#open(isolated, onError)
  }

  of({ isBackground, isIsolated }: Pick<Step, 'isBackground' | 'isIsolated'>): Pool {
    if (isIsolated === true) return this.#isolated
    return isBackground === true ? this.#background : this.#foreground
  }

  /** The pool for requests. */
  get state(): PoolState {
    const { totalCount, idleCount, waitingCount, options } = this.#foreground.pool
    return { open: totalCount, idle: idleCount, waiting: waitingCount, most: options.max }
  }

  /** Waits for statements under way, but not for a database that does not answer. */
  async end(): Promise<void> {
    setTimeout(() => this.#destroyAll(), closeTimeoutMs).unref()
    await Promise.all([this.#foreground.pool.end(), this.#background.pool.end(), this.#isolated.pool.end()])
  }

  /** Closes all connections at once: statements under way fail. */
  destroy(): void {
    void this.end()
    this.#destroyAll()
  }

  #destroyAll(): void {
    for (const client of this.#clients) destroyConnection(client)
  }

  #open({ config, settings }: PoolSetup, onError: (error: unknown) => void): Pool {
    const pool = new pg.Pool({ ...config, onConnect: (client) => this.#connected(client, settings) })
    // An idle connection that breaks is replaced at its next use. Without a listener the error would end the process.
    pool.on('error', (error) => {
      if (!pool.ending) onError(error)
    })
    pool.on('remove', (client) => this.#clients.delete(client))
    return { pool, settings }
  }

  /** The pool waits for this before it uses the connection. */
  async #connected(client: pg.ClientBase, settings: ConnectionSettings): Promise<void> {
    this.#clients.add(client)
    // A connection that breaks in use would end the process too; its statement fails by itself.
    client.on('error', () => undefined)
    try {
      await settings.apply(client)
    } catch (error) {
      this.#clients.delete(client)
      throw error
    }
  }
}
