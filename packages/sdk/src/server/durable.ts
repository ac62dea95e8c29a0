// The part of a store that the sdk uses to keep steps, approvals and their single use across restarts and replicas.
//
// The store of `@assent/store` has this shape; the sdk does not import it, so that a server without a database installs
// none. Each operation is one atomic operation of the store.

import type { Ask, AskDraft, OpenLimits, Person, Surface, WithdrawReason } from '@assent/core'

export interface DurableStore {
  readonly steps: DurableSteps
  readonly asks: DurableAsks
  readonly grants: DurableGrants
  /** The store's clock, so that a replica with a wrong clock applies the same deadlines. */
  nowMs?(): number
}

export interface StepKey {
  readonly tenant: string
  readonly callId: string
  readonly name: string
}

export interface DurableSteps {
  /** Exactly one claim of a step ever returns `yours`. */
  claim(step: StepKey & { readonly owner: string; readonly keepMs: number }): Promise<StepClaim>
  /** Stores the outcome of a step that this owner claimed. False if it did not claim it. */
  finish(step: StepKey & { readonly owner: string; readonly outcome: string }): Promise<boolean>
  /**
   * Makes this owner the owner of a step that was begun at this time and has not finished; false if it has changed since. Without
   * it, `onCrash: 'retry'` has no effect.
   */
  takeOver?(step: StepKey & { readonly owner: string; readonly begunAtMs: number }): Promise<boolean>
  /** Stores an outcome that is already known; resolves with the one that was stored first. */
  keep(
    step: StepKey & { readonly owner: string; readonly keepMs: number; readonly outcome: string },
  ): Promise<string | undefined>
}

export type StepClaim =
  | { readonly kind: 'yours' }
  | { readonly kind: 'finished'; readonly outcome: string }
  /** Another owner began it and has not finished: it may still be running, or its process may have died. */
  | { readonly kind: 'begun'; readonly atMs: number }

export interface DurableAsks {
  /** Throws `TooManyOpen` at the limit; the ask is then not raised. */
  raise(draft: AskDraft, atMost: OpenLimits): Promise<Ask>
  answer(request: {
    readonly tenant: string
    readonly id: string
    readonly person: Person
    readonly via: Surface
    readonly answer: unknown
  }): Promise<{ readonly kind: string; readonly ask?: Ask; readonly message?: string }>
  /** Withdraws an open ask. One that had ended before is not changed and is returned as `ended`. */
  withdraw(tenant: string, id: string, reason: WithdrawReason): Promise<{ readonly kind: string; readonly ask?: Ask }>
  /** The asker has the answer: the store deletes what looks like a secret in it. */
  deleteSecret?(tenant: string, id: string): Promise<void>
}

export interface DurableGrants {
  read(tenant: string, askId: string): Promise<{ readonly id: string; readonly grantedAtMs: number } | undefined>
  /** The grant, now used up; or undefined, and then nothing may run. */
  use(use: {
    readonly tenant: string
    readonly id: string
    readonly digest: string
    readonly principal: string
    readonly usedBy: string
  }): Promise<{ readonly id: string } | undefined>
}
