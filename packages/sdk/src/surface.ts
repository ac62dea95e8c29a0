// A surface: where a question is put to a person while the handler waits, such as a 2025 client, a terminal or a test.
//
// A surface shows the question and returns the reply; it validates nothing and has no timer. Its reply is untrusted until core
// has checked it. Revision 2026-07-28 is not a surface: there the handler does not wait.

import type { Surface as SurfaceName } from '@assent/core'
import type { Description } from './ask/describe.ts'

export interface Surface {
  readonly name: SurfaceName
  /**
   * The other side ends the question by the timeout that it was sent, and always replies; the run's own timer fires this
   * much later. Without it the run's timer ends the question.
   */
  readonly graceMs?: number
  /** The reason why this question cannot be shown on this surface, or undefined. Checked before anything is shown. */
  refuses(description: Description): string | undefined
  /**
   * Shows the question. The signal aborts when the wait is over or the call is cancelled: withdraw the question.
   * Throwing, too, means that the person could not be reached.
   */
  put(description: Description, putting: PutOptions): Promise<Reply>
}

export interface PutOptions {
  readonly signal: AbortSignal
  readonly waitMs: number
  /** `waitMs` is a default, not a chosen timeout. */
  readonly isDefaultWait: boolean
}

export type Reply =
  /** The answer as it was received, unchecked. */
  | { readonly kind: 'answered'; readonly answer: unknown }
  /** An answer that does not fit the question and was not passed on; `why` is the reason. */
  | { readonly kind: 'invalid'; readonly why: string }
  /** The timeout passed, by the clock of the side that was asked. */
  | { readonly kind: 'expired' }
  /** The question could not be shown on this surface. */
  | { readonly kind: 'unsupported'; readonly why: string }
  /** The connection to the person is closed. */
  | { readonly kind: 'gone'; readonly why: string }
