// One error type for mistakes and broken worlds, told apart by `code`.
//
// Everyday bad outcomes (declined, expired, an invalid answer) are values, not throws; the codes for them exist for
// the authors' interface, where a throw is the natural way to stop a handler. Two copies of this package can be
// loaded at once, so nobody compares classes: `isAssentError` looks at the shape.

export type ErrorCode =
  // asking a person
  | 'not_supported'
  | 'declined'
  | 'cancelled'
  | 'timed_out'
  /** The client accepted an approval faster than a person can read it. */
  | 'unseen'
  | 'channel_closed'
  | 'validation_failed'
  // running a handler again from its journal
  | 'out_of_order'
  | 'step_failed'
  | 'step_unclear'
  | 'grant_refused'
  // what we were handed
  | 'schema_refused'
  | 'state_refused'
  | 'limit_exceeded'
  | 'not_canonical'
  // the world around us
  | 'store_unavailable'
  | 'misconfigured'

export class AssentError extends Error {
  readonly code: ErrorCode
  /** What the person wrote beside a decline or a dismissal. */
  declare readonly comment?: string

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown; readonly comment?: string }) {
    super(message, options)
    this.name = 'AssentError'
    this.code = code
    if (options?.comment !== undefined) this.comment = options.comment
  }
}

export function isAssentError(value: unknown, code?: ErrorCode): value is AssentError {
  if (!(value instanceof Error) || value.name !== 'AssentError' || !('code' in value)) return false
  return code === undefined || value.code === code
}
