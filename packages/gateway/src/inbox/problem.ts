// Everything that can go wrong at the inbox's API, as the one shape its callers read.

import { type InboxProblem, type InboxProblemCode, isAssentError } from '@assent/core'
import { nothingHere } from './ask-desk.ts'

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

/** The same for an ask that is not there and for one that is not this person's: nobody learns which. */
export function notFound(): Response {
  return problem(nothingHere.code, nothingHere.message)
}

/** What a caller hears of an error that was thrown; undefined when it is a mistake of ours. */
export function problemOf(error: unknown): Response | undefined {
  if (isAssentError(error, 'validation_failed')) return problem('malformed', error.message)
  if (isAssentError(error, 'store_unavailable')) {
    return problem(
      'unavailable',
      'The store cannot be reached just now. Nothing is lost: try again, and the same answer counts once.',
    )
  }
  return undefined
}
