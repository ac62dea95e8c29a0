// Repeats a question to the same client, with the reason why its answer was invalid.

import type { InputRequest } from '../call/model.ts'

/** The reason is prepended to the message, because a client shows nothing else. */
export function withReason<W extends InputRequest>(wanted: W, reason: string | undefined): W {
  if (reason === undefined || wanted.kind !== 'form') return wanted
  const message = `Your last answer is not valid. ${reason}\n\n${wanted.message}`
  return { ...wanted, message, params: { ...wanted.params, message } }
}
