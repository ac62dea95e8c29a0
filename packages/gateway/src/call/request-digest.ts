// The digest of a call's request. A repeated call must have the same digest.

import { isAssentError, requestDigest } from '@assent/core'
import { objectAt } from '../protocol/messages.ts'
import type { Call } from './model.ts'
import { namedIn } from './names.ts'

/**
 * Undefined for a call without a digest: one without a target, or with arguments that can be read in more than one way.
 *
 * The target is the member that the method uses: another one would let a stray `name` hide the `uri` of a resource. A
 * completion has no digest, because it is about more than the prompt or resource that it refers to.
 */
export function digestOfRequest(call: Call): string | undefined {
  const named = call.method === 'completion/complete' ? undefined : namedIn(call.method, call.params)
  const target = named?.name ?? ''
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
