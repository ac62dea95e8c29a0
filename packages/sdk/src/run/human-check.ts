// Rejects approvals that arrive from a client faster than a person can read them.
//
// Only approvals are checked: any other answer passes however fast it is. Behind our gateway nothing
// is measured here, because the gateway measures and marks such a cancel itself.

import { isPlainObject } from '@assent/core'
import type { Description } from '../ask/describe.ts'
import { type Ending, endingOf } from '../ask/ending.ts'
import type { AskRecord } from '../ask/run.ts'

/** On the request of a test's in-memory client, whose person is scripted and answers at once. No remote client can set it. */
export const scriptedPersonKey: unique symbol = Symbol.for('assent.scripted-person')

/** What a test's client sends under that key. */
export interface ScriptedCall {
  /** Used unless the server sets its own time, so that a test reports a handler that does not repeat itself before it times out. */
  readonly repeatWithinMs: number
}

export function isScripted(request: object): boolean {
  return scriptedPersonKey in request
}

export function scriptedRepeatMs(request: object): number | undefined {
  if (!isScripted(request)) return undefined
  const call = (request as { readonly [scriptedPersonKey]: unknown })[scriptedPersonKey]
  return isPlainObject(call) && typeof call.repeatWithinMs === 'number' ? call.repeatWithinMs : undefined
}

const unseen = { action: 'cancel', _meta: { 'assent/no-answer': 'unseen' } } as const

/** The answer to a question, or a cancel in place of an approval that came too fast. */
export function rejectFastApproval(
  { question }: Description,
  answer: unknown,
  afterMs: number,
  unseenAfterMs: number,
): unknown {
  const isYes = isPlainObject(answer) && answer.action === 'accept'
  // Written so that a clock that went backwards counts as too fast.
  return question.kind === 'approval' && isYes && !(afterMs >= unseenAfterMs) ? unseen : answer
}

/** How an ask ended, by the record where there is one. An answer that is not a person's is not recorded as one. */
export async function settleAnswer(
  description: Description,
  askId: string,
  raw: unknown,
  askRecord: AskRecord | undefined,
): Promise<Ending> {
  const ending = endingOf(description, raw)
  if (askRecord === undefined) return ending
  if (ending.kind !== 'unseen') {
    const settled = await askRecord.settle(askId, raw)
    // Both refused the same reply; ours knows the form that the client was shown.
    return settled.kind === 'validation_failed' && ending.kind === 'validation_failed' ? ending : settled
  }
  return (await askRecord.withdraw(askId, 'unseen')) ?? ending
}
