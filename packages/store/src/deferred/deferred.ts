// Deferred calls: the caller received a handle while a person decides. Owns the state to continue with, and the outcome.
//
// I1  A call is claimed at most once, and a claim does not expire: a replica that died may have run the call, so no other
//     one runs it. Only calls that nothing else protects from running twice are claimed.
// I2  The first outcome that is stored stays.

import type { Engine } from '../engine/engine.ts'
import { claimDeferred } from './claim-deferred.ts'
import { deferCall } from './defer-call.ts'
import { finishDeferred } from './finish-deferred.ts'
import { readDeferred } from './read-deferred.ts'

export interface DeferredCall {
  readonly tenant: string
  /** The handle that the caller received. */
  readonly id: string
  readonly principal: string
  /** The state needed to continue; the store does not interpret it. */
  readonly state: string
  readonly keepMs: number
}

export type DeferredState =
  | { readonly kind: 'waiting'; readonly state: string }
  /** This replica continues it, or did and died. */
  | { readonly kind: 'claimed'; readonly atMs: number; readonly owner: string }
  | { readonly kind: 'finished'; readonly outcome: string }

export class Deferred {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** False if a call with this id exists already. */
  async keep({ tenant, id, principal, state, keepMs }: DeferredCall): Promise<boolean> {
    const rows = await this.#engine.runRepeatable(deferCall, { tenant, id, principal, state, keep: keepMs })
    return rows.length === 1
  }

  async read(tenant: string, id: string, principal: string): Promise<DeferredState | undefined> {
    const [row] = await this.#engine.run(readDeferred, { tenant, id, principal })
    if (row === undefined) return undefined
    if (row.outcome !== null) return { kind: 'finished', outcome: row.outcome }
    if (row.claimed_at === null) return { kind: 'waiting', state: row.state }
    return { kind: 'claimed', atMs: row.claimed_at, owner: row.claimed_by ?? '' }
  }

  /** True for one claim only: only this replica may continue the call. */
  async claim(tenant: string, id: string, principal: string, owner: string): Promise<boolean> {
    let isUnclear = false
    const rows = await this.#engine.runRepeatable(claimDeferred, { tenant, id, principal, owner }, () => {
      isUnclear = true
    })
    if (rows.length === 1 || !isUnclear) return rows.length === 1
    const found = await this.read(tenant, id, principal)
    return found?.kind === 'claimed' && found.owner === owner
  }

  /** False if an outcome is stored already. */
  async finish(tenant: string, id: string, outcome: string): Promise<boolean> {
    const rows = await this.#engine.runRepeatable(finishDeferred, { tenant, id, outcome })
    return rows.length === 1
  }
}
