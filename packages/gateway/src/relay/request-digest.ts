// What a call is about, as a digest: what the same call made again must match.

import { isAssentError, requestDigest } from '@assent/core'
import { objectAt, stringAt } from '../wire/messages.ts'
import type { Call } from './exchange.ts'

/** Undefined for a call that has none, because its arguments can be read in more than one way. */
export function digestOfRequest(call: Call): string | undefined {
  const target = stringAt(call.params, 'name') ?? stringAt(call.params, 'uri') ?? ''
  try {
    const given = objectAt(call.params, 'arguments') ?? {}
    const headers = call.client.headers ?? {}
    if (Object.keys(headers).length === 0) return requestDigest({ method: call.method, target, arguments: given })
    // The method has a name of its own here, so that no arguments without headers give the same digest.
    return requestDigest({ method: `${call.method} with headers`, target, arguments: { arguments: given, headers } })
  } catch (error) {
    if (isAssentError(error)) return undefined
    throw error
  }
}
