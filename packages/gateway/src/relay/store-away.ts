// What a caller hears when the store fails in the middle of their call.

import { isAssentError } from '@assent/core'
import { errorCodes } from '../wire/messages.ts'
import { failed, type Outcome } from './exchange.ts'

const away = failed(
  errorCodes.refused,
  'The gateway cannot reach its database now, so nobody can be asked and no answer counts. If the call had begun, whether ' +
    'it did anything is not known: look before you make it again.',
)

const comeAgain = failed(
  errorCodes.refused,
  'The gateway cannot reach its database now. Nothing is lost: send the same again a little later; an answer counts once.',
)

/** Throws what is anything else. */
export function toldAsAway(error: unknown): Outcome & { kind: 'failed' } {
  if (isAssentError(error, 'store_unavailable')) return away as Outcome & { kind: 'failed' }
  throw error
}

/** The same for a request that continues a call and can be sent any number of times. */
export function toldToComeAgain(error: unknown): Outcome & { kind: 'failed' } {
  if (isAssentError(error, 'store_unavailable')) return { ...(comeAgain as Outcome & { kind: 'failed' }), status: 503 }
  throw error
}
