// Gateway processes that own something in the store, each with one lease by the database's clock.
//
// Owns: one row per process. A process without a row, or whose lease has ended, counts as dead.

import { randomUUID } from 'node:crypto'
import type { Engine } from '../engine/engine.ts'
import { findOwners } from './owners.ts'
import { confirmWrite, endReplica, findLiveReplica, listLiveReplicas, renewReplica } from './renew-lease.ts'

export interface LiveReplica {
  readonly id: string
  /** Where other replicas reach it; empty if they cannot. */
  readonly address: string
}

export class Replicas {
  readonly #engine: Engine
  readonly #checkId = `check ${randomUUID()}`

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /**
   * The replica counts as alive for `leaseMs` from now. An expired lease is renewed too.
   *
   * @param address where other replicas reach it; undefined for a process that is not a gateway
   * @returns whether the lease was certainly still valid; otherwise other replicas may have ended what this one owns
   */
  async renew(id: string, leaseMs: number, address?: string): Promise<boolean> {
    let isUnclear = false
    const params = { id, address: address ?? null, lease: leaseMs }
    const valid = await this.#engine.runRepeatable(renewReplica, params, () => {
      isUnclear = true
    })
    return valid.length === 1 && !isUnclear
  }

  /** The gateways whose lease is valid. */
  async live(): Promise<readonly LiveReplica[]> {
    return this.#engine.run(listLiveReplicas, {})
  }

  /** The replicas that own a running call or an open ask, dead ones too. */
  async owners(): Promise<readonly { readonly id: string; readonly isAlive: boolean }[]> {
    const rows = await this.#engine.run(findOwners, {})
    return rows.map(({ id, is_alive }) => ({ id, isAlive: is_alive === 1 }))
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
