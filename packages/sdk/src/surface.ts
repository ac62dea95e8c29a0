// A place where a question can be put to a person while the handler waits: a client of 2025, a terminal, a test.
//
// A surface shows and carries back; it judges nothing and keeps no time. What comes back from it is anything at all
// until core has judged it. Revision 2026-07-28 is no surface: there nobody waits.

import type { Surface as SurfaceName } from '@assent/core'
import type { Description } from './ask/describe.ts'

export interface Surface {
  readonly name: SurfaceName
  /**
   * The other side ends the question by the timeout that it was sent, and always replies; the run's own timer fires this
   * much later. Without it the run's timer ends the question.
   */
  readonly graceMs?: number
  /** Why this question cannot be put here, in words; nothing when it can. Asked before anything is shown. */
  refuses(description: Description): string | undefined
  /**
   * Shows the question. The signal aborts when the wait is over or the call is cancelled: take the question back.
   * Throwing, too, means that the person could not be reached.
   */
  put(description: Description, putting: Putting): Promise<Reply>
}

export interface Putting {
  readonly signal: AbortSignal
  readonly waitMs: number
  /** `waitMs` is a default that nobody chose. */
  readonly isDefaultWait: boolean
}

export type Reply =
  /** Whatever was answered, as it came. */
  | { readonly kind: 'answered'; readonly answer: unknown }
  /** The timeout passed, by the clock of the side that was asked. */
  | { readonly kind: 'expired' }
  /** It turned out that nothing can be shown here. */
  | { readonly kind: 'unsupported'; readonly why: string }
  /** Whoever was asked is no longer there. */
  | { readonly kind: 'gone'; readonly why: string }
