// Gateway processes that own something in the store, each with one lease by the database's clock.
//
// Owns: one row per process. A process without a row, or whose lease has ended, counts as dead.

import { randomUUID } from 'node:crypto'
import type { Engine } from '../engine/engine.ts'
import { confirmWrite, endReplica, findLiveReplica, renewReplica } from './renew-lease.ts'

export class Replicas {
  readonly #engine: Engine
  readonly #checkId = `check ${randomUUID()}`

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** The replica counts as alive for `leaseMs` from now. An expired lease is renewed too. */
  async renew(id: string, leaseMs: number): Promise<void> {
    await this.#engine.runRepeatable(renewReplica, { id, lease: leaseMs })
  }

  async isAlive(id: string): Promise<boolean> {
    return (await this.#engine.run(findLiveReplica, { id })).length === 1
  }

  /**
   * Commits a small write. Resolves when the database has confirmed it, which may take long if it waits for a standby; rejects
   * if it is refused. It uses a separate connection, so a hanging write delays nothing else.
   */
  async confirmWrite(): Promise<void> {
    await this.#engine.run(confirmWrite, { id: this.#checkId })
  }

  /** The replica counts as dead from now on. */
  async end(id: string): Promise<void> {
    await this.#engine.runRepeatable(endReplica, { id })
  }
}
