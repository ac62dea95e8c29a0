// Asks a question again, with the reason, when its author's check does not accept an answer that fits the question.
//
// The repeated question has the reason below its text, so it is another question: a handler that runs again asks both in the
// same order. An answer that does not even fit the question is not repeated here: it is a no.

import { askLimits, isAssentError, oneLine } from '@assent/core'
import { sdkLimits } from '../limits.ts'
import type { Description } from './describe.ts'
import { answerValue, type Ending } from './ending.ts'

interface Answered<Value> {
  readonly value: Value
  readonly ending: Ending
}

/** Resolves with the first answer that is accepted. `put` asks one question and resolves with how it ended. */
export async function askUntilAccepted<Value>(
  first: Description<Value>,
  put: (description: Description<Value>) => Promise<Ending>,
): Promise<Answered<Value>> {
  let description = first
  for (let tries = 1; ; tries++) {
    const ending = await put(description)
    try {
      return { value: await answerValue(description, ending), ending }
    } catch (error) {
      const reason = ending.kind === 'accepted' ? rejectionIn(error) : undefined
      const next = reason === undefined ? undefined : withReason(first, reason)
      if (next === undefined || tries === sdkLimits.answerTries) throw error
      description = next
    }
  }
}

/** Only what a schema or `validate` refused: any other error in them is a mistake, which asking again does not fix. */
function rejectionIn(error: unknown): string | undefined {
  if (!isAssentError(error, 'validation_failed') || !isAssentError(error.cause, 'validation_failed')) return undefined
  return oneLine(error.cause.message, 'web', { maxChars: sdkLimits.reasonChars })
}

/** Undefined if there is no room for the reason. */
function withReason<Value>(description: Description<Value>, reason: string): Description<Value> | undefined {
  const { question } = description
  if (question.kind !== 'form') return undefined
  const message = `${question.message}\n\nYour last answer was not accepted: ${reason}`
  return message.length > askLimits.messageChars ? undefined : { ...description, question: { ...question, message } }
}
