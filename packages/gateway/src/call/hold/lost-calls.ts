// What held, attached and deferred calls have in common: their rows, and the outcome of a call that is lost.

import { errorCodes } from '../../protocol/messages.ts'
import type { RelayState } from '../call-state.ts'
import { type Call, failed, type NeedsInput, type Outcome } from '../model.ts'
import type { Relay } from '../relay.ts'

export const lostWords =
  'The gateway process that held this call has stopped. Whether the call did anything is not known: check before calling it again.'

/** The outcome of a call whose process died. */
export const lost = failed(errorCodes.refused, lostWords)

/** Whether a server of a session-based revision waits inside this call. */
export function isHeld(outcome: Outcome<RelayState>): outcome is NeedsInput<RelayState> {
  return outcome.kind === 'input-required' && outcome.over !== undefined
}

/** Cancels a call that no request continues. */
export async function cancelAtServer(relay: Pick<Relay, 'continue'>, call: Call, state: RelayState): Promise<void> {
  await relay.continue({ ...call, notify: () => undefined, signal: AbortSignal.abort() }, state, {})
}

/** The row of a call that this replica begins. */
export function draftOf({ tenant, principal, method }: Call, id: string, server: string, requestDigest: string) {
  return { tenant, id, principal, server, method, requestDigest }
}
