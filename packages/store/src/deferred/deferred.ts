// Calls whose caller was sent away with a handle while a person decides: what is needed to go on, and what came of it.
//
// Going on is claimed once and for all. Whoever claimed a call and fell silent may have run it, so it is never run by
// anyone else: its caller hears that nobody knows.

import type { Engine } from '../engine/engine.ts'
import { claimDeferred } from './claim-deferred.ts'
import { deferCall } from './defer-call.ts'
import { finishDeferred } from './finish-deferred.ts'
import { readDeferred } from './read-deferred.ts'

export interface DeferredCall {
  readonly tenant: string
  /** What the caller was given to come back with. */
  readonly id: string
  readonly principal: string
  /** What is needed to go on; the store does not look into it. */
  readonly state: string
  readonly keepMs: number
}

export type DeferredState =
  | { readonly kind: 'waiting'; readonly state: string }
  /** Someone goes on with it, or did and fell silent: the call that they run is on record with its lease. */
  | { readonly kind: 'claimed'; readonly atMs: number; readonly callId: string | undefined }
  | { readonly kind: 'finished'; readonly outcome: string }

export class Deferred {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** False when there is a call by this id already. */
  async keep({ tenant, id, principal, state, keepMs }: DeferredCall): Promise<boolean> {
    const rows = await this.#engine.runRepeatable(deferCall, { tenant, id, principal, state, keep: keepMs })
    return rows.length === 1
  }

  async read(tenant: string, id: string, principal: string): Promise<DeferredState | undefined> {
    const [row] = await this.#engine.run(readDeferred, { tenant, id, principal })
    if (row === undefined) return undefined
    if (row.outcome !== null) return { kind: 'finished', outcome: row.outcome }
    if (row.claimed_at === null) return { kind: 'waiting', state: row.state }
    return { kind: 'claimed', atMs: row.claimed_at, callId: row.claimed_call ?? undefined }
  }

  /** True for one caller, once: only they may go on with it, as this call of theirs. */
  async claim(tenant: string, id: string, principal: string, callId: string): Promise<boolean> {
    let isUnclear = false
    const rows = await this.#engine.runRepeatable(claimDeferred, { tenant, id, principal, call: callId }, () => {
      isUnclear = true
    })
    if (rows.length === 1 || !isUnclear) return rows.length === 1
    const found = await this.read(tenant, id, principal)
    return found?.kind === 'claimed' && found.callId === callId
  }

  async finish(tenant: string, id: string, outcome: string): Promise<boolean> {
    const rows = await this.#engine.runRepeatable(finishDeferred, { tenant, id, outcome })
    return rows.length === 1
  }
}
