// The error type of Assent, distinguished by `code`.
//
// Expected failures (declined, expired, an invalid answer) are values; their codes exist for the SDK, where throwing is
// the natural way to stop a handler. Two copies of this package can be loaded at once, so `isAssentError` checks the
// shape instead of the class.

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
  // invalid input
  | 'schema_refused'
  | 'state_refused'
  | 'limit_exceeded'
  | 'not_canonical'
  // environment
  | 'store_unavailable'
  | 'misconfigured'
  /** The transparency log does not match its checkpoint: nothing is added to it. */
  | 'log_unusable'

export class AssentError extends Error {
  readonly code: ErrorCode
  /** The person's comment on a decline or a dismissal. */
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
