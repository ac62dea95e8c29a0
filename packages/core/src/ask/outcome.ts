// How an ask ended, under the names that callers, the audit log and metrics use.
//
// Only `accepted` is a yes. The others are different kinds of no: after a person's "no" an agent must act differently
// than after a question that was never shown.

import type { AskState } from './ask.ts'

export type AskOutcome =
  | 'accepted'
  /** A person declined. */
  | 'declined'
  /** A person made no choice. */
  | 'cancelled'
  /** A person answered too late: the server had stopped waiting. */
  | 'undelivered'
  /** The deadline passed. */
  | 'expired'
  /** No surface could show it to a person. */
  | 'undeliverable'
  /** A client answered without showing it to anyone, and no other surface was left. */
  | 'unseen'
  /** The answer is no longer needed. */
  | 'withdrawn'

export function isYes(outcome: AskOutcome | undefined): boolean {
  return outcome === 'accepted'
}

/** Undefined while the ask is open. */
export function askOutcomeOf(state: AskState): AskOutcome | undefined {
  switch (state.kind) {
    case 'open':
      return undefined
    case 'settled':
      return state.undeliveredAtMs === undefined ? outcomeOfAction[state.answer.action] : 'undelivered'
    case 'expired':
      return 'expired'
    case 'withdrawn':
      return state.reason === 'undeliverable' || state.reason === 'unseen' ? state.reason : 'withdrawn'
  }
}

const outcomeOfAction = { accept: 'accepted', decline: 'declined', cancel: 'cancelled' } as const
