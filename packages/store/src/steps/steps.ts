// Steps that a handler runs once per call, on whichever replica its rounds arrive.
//
// I1  The claim is the row: of all inserts, one succeeds.
// I2  A step that was begun and never finished is taken over only on request, because it is unknown how far it came.
//     Otherwise it stays until it expires. Of all takeovers of one begin, one succeeds.

import type { Engine } from '../engine/engine.ts'
import { claimStep } from './claim-step.ts'
import { finishStep } from './finish-step.ts'
import { readStep } from './read-step.ts'
import { takeOverStep } from './take-over-step.ts'

export interface StepKey {
  readonly tenant: string
  readonly callId: string
  readonly name: string
}

export type StepClaim =
  | { readonly kind: 'yours' }
  | { readonly kind: 'finished'; readonly outcome: string }
  /** Another process began it and has not finished: it may be running, or the process may have died. */
  | { readonly kind: 'begun'; readonly atMs: number }

export class Steps {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async claim(step: StepKey & { readonly owner: string; readonly keepMs: number }): Promise<StepClaim> {
    const row = await this.#insert(step, null)
    if (row === undefined) return { kind: 'yours' }
    return row.outcome === null ? { kind: 'begun', atMs: row.begun_at } : { kind: 'finished', outcome: row.outcome }
  }

  /** False if this owner has not claimed the step, or it is finished already. */
  async finish(step: StepKey & { readonly owner: string; readonly outcome: string }): Promise<boolean> {
    const { tenant, callId, name, owner, outcome } = step
    const rows = await this.#engine.run(finishStep, { tenant, call_id: callId, name, owner, outcome })
    return rows.length === 1
  }

  /** False if the step has finished, or was taken over after it had been read with this time. */
  async takeOver(step: StepKey & { readonly owner: string; readonly begunAtMs: number }): Promise<boolean> {
    const { tenant, callId, name, owner, begunAtMs } = step
    const rows = await this.#engine.run(takeOverStep, { tenant, call_id: callId, name, owner, begun_at: begunAtMs })
    return rows.length === 1
  }

  /** Stores a known outcome, and returns the one that was stored first: this one, or an earlier one. */
  async keep(
    step: StepKey & { readonly owner: string; readonly keepMs: number; readonly outcome: string },
  ): Promise<string | undefined> {
    const row = await this.#insert(step, step.outcome)
    return row === undefined ? step.outcome : (row.outcome ?? undefined)
  }

  /** The row that existed before; undefined if this call inserted it. */
  async #insert(
    { tenant, callId, name, owner, keepMs }: StepKey & { owner: string; keepMs: number },
    outcome: string | null,
  ) {
    const key = { tenant, call_id: callId, name }
    const [claimed] = await this.#engine.run(claimStep, { ...key, owner, outcome, keep: keepMs })
    if (claimed !== undefined) return undefined
    const [row] = await this.#engine.run(readStep, key)
    // Deleted by a sweep between the two statements, so it has expired. For the caller it counts as begun by another process.
    return row ?? { begun_at: 0, outcome: null }
  }
}
