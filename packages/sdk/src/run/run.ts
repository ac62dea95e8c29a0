// One run of a handler, as `ask`, `step` and `gate` see it: put a question, do something once.
//
// Behind it is either a surface where the handler waits (live.ts) or a journal that the handler is run again from
// (replay.ts). Nothing above this line knows which.

import type { Surface, WithdrawReason } from '@assent/core'
import type { Description } from '../ask/describe.ts'
import type { Ending } from '../ask/ending.ts'

export interface Run {
  readonly callId: string
  /** Where it asks. */
  readonly surface: Surface
  /** Whether a secret can be typed where this run asks, unseen by anyone else. */
  readonly asksSecrets: boolean
  put(description: Description, keeper?: Keeper): Promise<Settlement>
  /** Does the work unless it was done before in this call; either way resolves with what came of it. */
  once(name: string, work: () => unknown): Promise<unknown>
  /**
   * Does this as soon as nothing in this call can need what it lets go of: at once where the handler waits, after the
   * last round where it runs again. It must not throw.
   */
  afterwards(work: () => Promise<void>): Promise<void>
}

export interface Settlement {
  readonly askId: string
  readonly ending: Ending
  /** When the answer came. */
  readonly atMs: number
  /** Until when the same answer could be brought again, with an older state of the same call. */
  readonly repeatableUntilMs: number
}

/** Keeps an ask on record elsewhere while it is open, and has the last word on how it ended. */
export interface Keeper {
  raised(askId: string, waitMs: number): Promise<void>
  /** `raw` is what came back; the ending that counts is what the record says. */
  settled(askId: string, raw: unknown): Promise<Ending>
  /** Takes the ask back. Where it had an answer already, that answer: it counts. */
  withdrawn(askId: string, reason?: WithdrawReason): Promise<Ending | undefined>
}

/** What a run needs of the world around it. */
export interface Terms {
  readonly waitMs: number
  /** `waitMs` is this package's default, not a setting of the server. */
  readonly isWaitDefault: boolean
  readonly nowMs: () => number
  readonly newAskId: () => string
}
