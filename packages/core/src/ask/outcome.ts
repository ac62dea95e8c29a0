// How an ask ended, in the words that callers, audit and metrics use.
//
// Only `accepted` is a yes. The others are all no, and stay apart: a person's "no" is never mixed up with "nobody was
// asked", because the agent must do different things next.

import type { AskState } from './ask.ts'

export type AskOutcome =
  | 'accepted'
  /** A person said no. */
  | 'declined'
  /** A person made no choice. */
  | 'cancelled'
  /** A person answered too late: the server had stopped waiting. */
  | 'undelivered'
  /** The deadline passed. */
  | 'expired'
  /** No surface could carry it to a person. */
  | 'undeliverable'
  /** A client answered without showing it to anyone, and no other surface was left. */
  | 'unseen'
  /** Nobody needs the answer any more. */
  | 'withdrawn'

export function isYes(outcome: AskOutcome | undefined): boolean {
  return outcome === 'accepted'
}

/** Undefined while the ask is open. */
export function outcomeOf(state: AskState): AskOutcome | undefined {
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
