// Steps that a handler does once per call, on whichever replica its rounds arrive.
//
// The claim is the row: of all who insert it one succeeds, ever. Nobody takes over a step that was begun and never
// finished, because nobody can know how far it came; it stays as it is until it is too old to be asked for.

import type { Engine } from '../engine/engine.ts'
import { claimStep } from './claim-step.ts'
import { finishStep } from './finish-step.ts'
import { readStep } from './read-step.ts'

export interface StepKey {
  readonly tenant: string
  readonly callId: string
  readonly name: string
}

export type StepClaim =
  | { readonly kind: 'yours' }
  | { readonly kind: 'finished'; readonly outcome: string }
  /** Somebody else began it and has not finished: it may be running, or its process may have died in the middle. */
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

  /** False when this step is not this owner's to finish, or has been finished. */
  async finish(step: StepKey & { readonly owner: string; readonly outcome: string }): Promise<boolean> {
    const { tenant, callId, name, owner, outcome } = step
    const rows = await this.#engine.run(finishStep, { tenant, call_id: callId, name, owner, outcome })
    return rows.length === 1
  }

  /** Keeps what is known already, and returns what was kept first: by this call of it, or by an earlier one. */
  async keep(
    step: StepKey & { readonly owner: string; readonly keepMs: number; readonly outcome: string },
  ): Promise<string | undefined> {
    const row = await this.#insert(step, step.outcome)
    return row === undefined ? step.outcome : (row.outcome ?? undefined)
  }

  /** The row that was there before, or nothing when it is ours now. */
  async #insert(
    { tenant, callId, name, owner, keepMs }: StepKey & { owner: string; keepMs: number },
    outcome: string | null,
  ) {
    const key = { tenant, call_id: callId, name }
    const [claimed] = await this.#engine.run(claimStep, { ...key, owner, outcome, keep: keepMs })
    if (claimed !== undefined) return undefined
    const [row] = await this.#engine.run(readStep, key)
    // Gone between the two statements: swept, so too old to be asked for. To the caller it was begun by somebody else.
    return row ?? { begun_at: 0, outcome: null }
  }
}
