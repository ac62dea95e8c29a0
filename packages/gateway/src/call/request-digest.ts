// The digest of a call's request. A repeated call must have the same digest.

import { isAssentError, requestDigest } from '@assent/core'
import { objectAt, stringAt } from '../protocol/messages.ts'
import type { Call } from './model.ts'

/** Undefined for a call without a digest, because its arguments can be read in more than one way. */
export function digestOfRequest(call: Call): string | undefined {
  const target = stringAt(call.params, 'name') ?? stringAt(call.params, 'uri') ?? ''
  try {
    const given = objectAt(call.params, 'arguments') ?? {}
    const headers = call.client.headers ?? {}
    if (Object.keys(headers).length === 0) return requestDigest({ method: call.method, target, arguments: given })
    // A distinct method name, so that arguments without headers can never have the same digest.
    return requestDigest({ method: `${call.method} with headers`, target, arguments: { arguments: given, headers } })
  } catch (error) {
    if (isAssentError(error)) return undefined
    throw error
  }
}
