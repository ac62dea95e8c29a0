// Gateway processes that something in the store waits for, each with one lease by the database's clock.
//
// Owns: one row per process. A process without a row, or whose lease has ended, counts as dead.

import { randomUUID } from 'node:crypto'
import type { Engine } from '../engine/engine.ts'
import { confirmWrite, endLease, findAlive, renewLease } from './renew-lease.ts'

export class Replicas {
  readonly #engine: Engine
  readonly #checkId = `check ${randomUUID()}`

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Counts as alive for this long from now. A lease that has ended is renewed all the same. */
  async renew(id: string, leaseMs: number): Promise<void> {
    await this.#engine.runRepeatable(renewLease, { id, lease: leaseMs })
  }

  async isAlive(id: string): Promise<boolean> {
    return (await this.#engine.run(findAlive, { id })).length === 1
  }

  /**
   * Commits a small write. Resolves when the database has confirmed it, which may take long where it waits for a standby;
   * rejects when it is refused. It uses a connection of its own, so one that hangs holds up nothing else.
   */
  async confirmWrite(): Promise<void> {
    await this.#engine.run(confirmWrite, { id: this.#checkId })
  }

  /** Counts as dead from now on. */
  async end(id: string): Promise<void> {
    await this.#engine.runRepeatable(endLease, { id })
  }
}
