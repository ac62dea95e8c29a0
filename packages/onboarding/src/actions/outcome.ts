// The outcome of an action, before it is turned into a tool result.

import type { Status } from '../state/status.ts'
import { noDecisionText, wroteText } from '../text/results.ts'

export type Outcome =
  | {
      readonly kind: 'done'
      readonly status: Status
      readonly message: string
      readonly data: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'declined'; readonly message: string; readonly comment: string }
  | { readonly kind: 'canceled'; readonly message: string }

export function done(status: Status, message: string, data: Readonly<Record<string, unknown>> = {}): Outcome {
  return { kind: 'done', status, message, data }
}

export function canceled(action: string, { why, comment }: { why: string; comment: string }): Outcome {
  return { kind: 'canceled', message: withComment(noDecisionText.countsAsNo(why, action), comment) }
}

/** @param comment what the person wrote, unchanged; empty when they wrote nothing */
export function declined(message: string, comment: string): Outcome {
  return { kind: 'declined', message: withComment(message, comment), comment }
}

export function withComment(message: string, comment: string): string {
  return comment === '' ? message : wroteText(message, comment)
}

/** What the person wrote: in the form's own field, else as a comment. */
export function commentOf(
  answered: { readonly content?: Readonly<Record<string, unknown>>; readonly comment: string },
  name: string,
): string {
  const value = answered.content?.[name]
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : answered.comment
}
