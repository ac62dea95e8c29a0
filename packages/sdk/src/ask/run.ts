// One run of a handler, as `ask`, `step` and `gate` see it: put a question, do something once.
//
// It is implemented by a surface where the handler waits (live.ts) or by a journal from which the handler runs again
// (replay.ts). `ask`, `step` and `gate` do not depend on which.

import type { Surface, WithdrawReason } from '@assent/core'
import type { AuthorPromises } from './author-promises.ts'
import type { Description } from './describe.ts'
import type { Ending } from './ending.ts'
import type { StepContext, StepOptions } from './step.ts'

export interface Run {
  readonly callId: string
  /** Where it asks. */
  readonly surface: Surface
  /** Whether a secret can be typed where this run asks, unseen by anyone else. */
  readonly asksSecrets: boolean
  /** Guards every promise that the handler gets. */
  readonly promises: AuthorPromises
  /** Whether the handler has ended: nothing is asked any more, and the ask never settles. It is reported as a mistake. */
  isLate(description: Description): boolean
  put(description: Description, askRecord?: AskRecord): Promise<Settlement>
  /** Does the work unless it was done before in this call; either way resolves with its result. */
  once(name: string, work: (context: StepContext) => unknown, options?: OnceOptions): Promise<unknown>
  /** The handler runs again from the top for every answer, so a later round may need what this one used. */
  readonly runsAgain: boolean
  /** Aborts when the call has ended, whatever its handler still does. A round that ends with questions does not end its call. */
  readonly ended: AbortSignal
}

export interface OnceOptions extends StepOptions {
  /** A step of the SDK itself; its name begins with `assent:`. */
  readonly isOwn?: boolean
  /** What errors call it; its name by default. */
  readonly label?: string
  /** A step that always follows this one: it gets its place in the journal before this one runs. */
  readonly before?: { readonly name: string; readonly maxResultChars?: number | undefined }
  /** Called with the error by which this step ends its round; the promise of the step then never settles. */
  readonly onBroken?: (error: unknown) => void
}

export interface Settlement {
  readonly askId: string
  readonly ending: Ending
  /** When the answer arrived. */
  readonly atMs: number
  /** Until when the same answer could be sent again, with an older state of the same call. */
  readonly repeatableUntilMs: number
}

/** Records an ask in a store while it is open. The store decides how it ended. */
export interface AskRecord {
  raise(askId: string, waitMs: number): Promise<void>
  /** `raw` is the untrusted reply; the returned ending is the one in the record. */
  settle(askId: string, raw: unknown): Promise<Ending>
  /** Withdraws the ask. Returns the answer if it had one already: that answer counts. */
  withdraw(askId: string, reason?: WithdrawReason): Promise<Ending | undefined>
}

/** What a run needs from its server. */
export interface RunSettings {
  readonly waitMs: number
  /** `waitMs` is this package's default, not a setting of the server. */
  readonly isWaitDefault: boolean
  readonly nowMs: () => number
  readonly newAskId: () => string
  /** How long a handler may take to reach again what it reached in earlier rounds. */
  readonly repeatWithinMs: number
  /** Called with an error that no caller receives. */
  readonly onError: (error: unknown) => void
}
