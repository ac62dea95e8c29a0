// What held, attached and deferred calls have in common: their rows, and the outcome of a call that is lost.

import { errorCodes } from '../../protocol/messages.ts'
import type { RelayState } from '../call-state.ts'
import type { CallLayer } from '../layers.ts'
import { type Call, failed, type NeedsInput, type Outcome, ranElsewhere, unsent } from '../model.ts'
import { outcomeText } from '../text/outcomes.ts'

/** The outcome of a call whose process died, or did not renew its lease in time. */
export const lost = failed(errorCodes.refused, outcomeText.lost)

/** The same at the process that did not renew its lease in time. */
export const leaseLost = failed(errorCodes.refused, outcomeText.leaseLost)

/** The stored outcome of a call that its server ended with a question whose state the caller carries. */
export const carriedOn = ranElsewhere(errorCodes.refused, outcomeText.carriedOn)

/** The outcome of a request whose caller left while another request, or the holder, continues the call. */
export const callerLeft = unsent(errorCodes.refused, outcomeText.callerLeft)

/** Whether a server of a session-based revision waits inside this call. */
export function isHeld(outcome: Outcome<RelayState>): outcome is NeedsInput<RelayState> {
  return outcome.kind === 'input-required' && outcome.over !== undefined
}

/** Cancels a call that no request continues. */
export async function cancelAtServer(relay: Pick<CallLayer, 'continue'>, call: Call, state: RelayState): Promise<void> {
  await relay.continue({ ...call, notify: () => undefined, signal: AbortSignal.abort() }, state, {})
}

/** The row of a call that this replica begins. */
export function draftOf({ tenant, principal, method }: Call, id: string, server: string, requestDigest: string) {
  return { tenant, id, principal, server, method, requestDigest }
}
