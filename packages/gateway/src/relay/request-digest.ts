// What a call is about, as a digest: what the same call made again must match.

import { isAssentError, requestDigest } from '@assent/core'
import { objectAt, stringAt } from '../wire/messages.ts'
import type { Call } from './exchange.ts'

/** Undefined for a call that has none, because its arguments can be read in more than one way. */
export function digestOfRequest(call: Call): string | undefined {
  const target = stringAt(call.params, 'name') ?? stringAt(call.params, 'uri') ?? ''
  try {
    return requestDigest({ method: call.method, target, arguments: objectAt(call.params, 'arguments') ?? {} })
  } catch (error) {
    if (isAssentError(error)) return undefined
    throw error
  }
}
