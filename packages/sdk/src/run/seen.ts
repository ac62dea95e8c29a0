// Approvals that arrive from a client faster than a person can read them. They are not a person's and never count.
//
// Only approvals are checked: a plain answer that fast passes, as it would without this package. Behind our gateway nothing
// is measured here, because the gateway has, and it marks such a cancel itself.

import { isPlainObject } from '@assent/core'
import type { Description } from '../ask/describe.ts'
import { type Ending, endingOf } from '../ask/ending.ts'
import type { Keeper } from './run.ts'

/** On the request of a test's in-memory client, whose person is scripted and answers at once. No remote client can set it. */
export const scriptedPerson: unique symbol = Symbol.for('assent.scripted-person') as never

export function isScripted(request: object): boolean {
  return scriptedPerson in request
}

const unseen = { action: 'cancel', _meta: { 'assent/no-answer': 'unseen' } } as const

/** The answer to a question, or a cancel in place of an approval that came too fast. */
export function seenAnswer(
  { question }: Description,
  answer: unknown,
  afterMs: number,
  unseenAfterMs: number,
): unknown {
  const isYes = isPlainObject(answer) && answer.action === 'accept'
  // Spelled so that a clock that went backwards counts as too fast.
  return question.kind === 'approval' && isYes && !(afterMs >= unseenAfterMs) ? unseen : answer
}

/** How an ask ended, by the record where there is one. An answer that is not a person's is not recorded as one. */
export async function endingBy(
  description: Description,
  askId: string,
  raw: unknown,
  keeper: Keeper | undefined,
): Promise<Ending> {
  const ending = endingOf(description, raw)
  if (keeper === undefined) return ending
  if (ending.kind !== 'unseen') return keeper.settled(askId, raw)
  return (await keeper.withdrawn(askId, 'unseen')) ?? ending
}
