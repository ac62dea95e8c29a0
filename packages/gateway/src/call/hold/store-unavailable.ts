// The outcomes for a caller when the store fails during the call.

import { isAssentError } from '@assent/core'
import { errorCodes } from '../../protocol/messages.ts'
import { type Failed, failed } from '../model.ts'

const away = failed(
  errorCodes.refused,
  'The gateway cannot reach its database, so no person can be asked and no answer is accepted. If the call had started, whether ' +
    'it did anything is not known: check before calling it again.',
)

const retryLater = failed(
  errorCodes.refused,
  'The gateway cannot reach its database. Nothing is lost: retry later; an answer is recorded once.',
)

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
