// A call that joined the open ask of another one: only one of them runs, and each has its own entry in the record.
//
// The state that a joined call continues from is that of the call that ran, with the other entry in it. So routing keeps
// the call's own entry beside that state, and completes it with the outcome of the run.

import type { CallState } from '../call-state.ts'
import type { Call, Ended, Outcome } from '../model.ts'
import { calledBy } from '../names.ts'
import { type CarriedEntry, carriedEntry } from './call-entry.ts'

/** Completes the entry of a call with the outcome of the call that ran. */
export type OnJoined = (call: Call, server: string, own: CarriedEntry, recorded: NonNullable<Ended['recorded']>) => void

/**
 * The outcome of a request, after the entry of its own call was completed or kept.
 * @param before the state from which the request continued, or that its first reply had
 */
export function withOwnEntry(
  call: Call,
  before: CallState,
  outcome: Outcome<CallState>,
  onJoined: OnJoined,
): Outcome<CallState> {
  const own = ('joined' in before ? before.joined : undefined) ?? carriedEntry(before.inner)
  if (own === undefined) return outcome
  if (outcome.kind === 'input-required') {
    const isOther = 'wanted' in outcome.state && carriedEntry(outcome.state.inner)?.id !== own.id
    return isOther ? { ...outcome, state: { ...outcome.state, joined: own } } : outcome
  }
  // Without `recorded` it is not known how the run ended, and the entry stays without an outcome.
  const { recorded } = outcome
  if (recorded !== undefined && recorded.id !== own.id)
    onJoined(calledBy(call, before.target), before.server, own, recorded)
  return outcome
}
