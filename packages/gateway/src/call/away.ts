// The outcome of a call that failed with an error on the way to its server.

import { isAssentError } from '@assent/core'
import { errorCodes } from '../protocol/messages.ts'
import { unavailable, unavailableUnsent } from './hold/store-unavailable.ts'
import { type Failed, failed, NotSent, unsent, unusable } from './model.ts'

/** Names the database or the server, whichever failed. Only `NotSent` proves that nothing ran. */
export function away(server: string, error: unknown): Failed {
  const cause = error instanceof NotSent ? error.cause : error
  if (isAssentError(cause, 'store_unavailable')) return error === cause ? unavailable(cause) : unavailableUnsent
  const words = unusable(server, error)
  return error instanceof NotSent ? unsent(errorCodes.refused, words) : failed(errorCodes.refused, words)
}
