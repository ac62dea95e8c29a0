// The outcomes for a caller when the store fails during the call.

import { isAssentError } from '@assent/core'
import { errorCodes } from '../../protocol/messages.ts'
import { type Failed, failed, unsent } from '../model.ts'
import { outcomeText } from '../text/outcomes.ts'

const away = failed(errorCodes.refused, outcomeText.noStore)

const retryLater = failed(errorCodes.refused, outcomeText.noStoreRetry)

/** The outcome of a call that was not sent because the store failed before. */
export const unavailableUnsent = unsent(errorCodes.refused, outcomeText.noStoreUnsent)

/** Rethrows any other error. */
export function unavailable(error: unknown): Failed {
  if (isAssentError(error, 'store_unavailable')) return away
  throw error
}

/** The outcome for a request that continues a call and can be retried any number of times. */
export function unavailableRetryLater(error: unknown): Failed {
  if (isAssentError(error, 'store_unavailable')) return { ...retryLater, status: 503 }
  throw error
}
