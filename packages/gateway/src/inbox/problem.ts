// Every error of the inbox API, in the one shape that its clients read.

import { type InboxProblem, type InboxProblemCode, isAssentError } from '@assent/core'
import { nothingHere } from './ask-service.ts'
import { requestRefusals } from './text/requests.ts'

const statusOf: Readonly<Record<InboxProblemCode, number>> = {
  malformed: 400,
  'signed-out': 401,
  unverified: 401,
  refused: 403,
  'not-found': 404,
  ended: 409,
  'already-voted': 409,
  'no-cancel': 409,
  conflict: 409,
  'too-large': 413,
  invalid: 422,
  'looks-secret': 422,
  presence: 422,
  'too-many': 429,
  unavailable: 503,
}

export function problem(
  code: InboxProblemCode,
  message: string,
  more: Omit<InboxProblem, 'code' | 'message'> = {},
): Response {
  const body: InboxProblem = { code, message, ...more }
  return Response.json(body, { status: statusOf[code] })
}

/** The same for a missing ask and for one that this person may not see, so that a caller cannot tell which. */
export function notFound(): Response {
  return problem(nothingHere.code, nothingHere.message)
}

/** The response to a thrown error; undefined for an internal error. */
export function problemOf(error: unknown): Response | undefined {
  if (isAssentError(error, 'validation_failed')) return problem('malformed', error.message)
  if (isAssentError(error, 'store_unavailable')) {
    return problem('unavailable', requestRefusals.noStore)
  }
  return undefined
}
