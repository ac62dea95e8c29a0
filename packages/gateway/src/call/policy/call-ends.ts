// How a call goes on to its server, or ends without it, once the policies have decided.

import { errorCodes } from '../../protocol/messages.ts'
import { withoutRound } from '../../protocol/round-params-2026-07-28.ts'
import { type Call, type Ended, failed, NotSent } from '../model.ts'
import type { Use } from './approval-uses.ts'

/** The call without what its caller added to continue it: the server has not seen the call before. */
export function asBegun(call: Call): Call {
  return { ...call, params: withoutRound(call.params) }
}

export function notSent(error: unknown): never {
  throw error instanceof NotSent ? error : new NotSent(error)
}

/** Nothing was sent: a retry may run the call, if the store has its approval. */
export function retryRuns(call: Call, { repeatLater }: Use): void {
  if (repeatLater === undefined) return
  repeatLater()
  endsAtRetry(call)
}

/** Nothing ran, and a retry can still run the call: then the retry ends its entry. A caller that cannot retry ends it now. */
export function endsAtRetry({ entry, leavesAfterMs }: Call): void {
  if (leavesAfterMs?.() === undefined) entry?.endsElsewhere()
}

/** An agent reads the text of a tool's result; other requests have only errors. Nothing was sent to the server. */
export function refusal({ method }: Pick<Call, 'method'>, message: string): Ended {
  if (method !== 'tools/call') return failed(errorCodes.refused, message)
  return { kind: 'finished', result: { content: [{ type: 'text', text: message }], isError: true } }
}
