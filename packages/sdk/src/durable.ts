// What the sdk needs of a store, so that a promise outlives this process and holds on every replica.
//
// The store of `@assent/store` has this shape; the sdk does not import it, so that a server without a database installs
// none. Each operation is one atomic decision of the store's, never of ours.

import type { Ask, AskDraft, OpenLimits, Person, Surface, WithdrawReason } from '@assent/core'

export interface DurableStore {
  readonly steps: DurableSteps
  readonly asks: DurableAsks
  readonly grants: DurableGrants
  /** What time it is for what is kept there. With it, a machine whose clock is wrong judges no answer differently. */
  nowMs?(): number
}

export interface StepKey {
  readonly tenant: string
  readonly callId: string
  readonly name: string
}

export interface DurableSteps {
  /** Of all who claim one step exactly one is told `yours`, ever. */
  claim(step: StepKey & { readonly owner: string; readonly keepMs: number }): Promise<StepClaim>
  /** Keeps what came of a step that is this owner's. False when it is not. */
  finish(step: StepKey & { readonly owner: string; readonly outcome: string }): Promise<boolean>
  /** Keeps what is known already; resolves with what was kept first. */
  keep(
    step: StepKey & { readonly owner: string; readonly keepMs: number; readonly outcome: string },
  ): Promise<string | undefined>
}

export type StepClaim =
  | { readonly kind: 'yours' }
  | { readonly kind: 'finished'; readonly outcome: string }
  /** Somebody else began it and has not finished: it may be running, or its process may have died in the middle. */
  | { readonly kind: 'begun'; readonly atMs: number }

export interface DurableAsks {
  /** One more than may be open throws `TooManyOpen`, and is not raised. */
  raise(draft: AskDraft, atMost: OpenLimits): Promise<Ask>
  answer(request: {
    readonly tenant: string
    readonly id: string
    readonly person: Person
    readonly via: Surface
    readonly answer: unknown
  }): Promise<{ readonly kind: string; readonly ask?: Ask; readonly message?: string }>
  /** Takes an open ask back. One that had ended before stays as it was, and comes back as `ended`. */
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
