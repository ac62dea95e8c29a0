// The tool result for an ask that ended without a yes and that the handler did not catch.
//
// It has the error's message (what was asked, what happened) and what to do next. A decline and a client that cannot ask have
// different advice: after the first the model must stop, after the second it should tell its user.

import { type AssentError, compact, type ErrorCode, isTooManyOpen } from '@assent/core'

const next: Partial<Record<ErrorCode, string>> = {
  declined:
    'A person decided this. Do not try again and do not look for a way around it; ask them what they want instead.',
  cancelled: 'Nothing was decided. Ask the user whether to continue before calling this again.',
  timed_out:
    'No person decided, which counts as no. Tell the user that their answer is needed, and call again when they are available.',
  unseen:
    'No person decided, which counts as no. Tell the user that their client accepts approvals by itself, and ask them in the chat before calling this again.',
  channel_closed: 'No person decided, which counts as no. Call again when the user is connected.',
  not_supported:
    'No person saw this question. Tell the user that it needs their answer and that this client cannot ask them.',
  validation_failed: 'An answer came that does not fit the question, which counts as no. Call again to ask once more.',
  state_refused: 'Start the call again.',
  grant_refused:
    'The approval was used before, is too old, or was for something else. Ask again if it is still needed.',
  step_unclear: 'Do not call this again before a person has checked what it changed.',
  out_of_order: 'This is a mistake in the tool. Tell the user.',
}

/** Only for what a person or the connection did, or too many open questions; a mistake in the handler stays an error. */
export function isRefusal(error: AssentError): boolean {
  return next[error.code] !== undefined || isTooManyOpen(error)
}

export interface Refusal {
  readonly content: [{ type: 'text'; text: string }]
  readonly isError: true
  readonly _meta: { readonly 'assent/refusal': { readonly code: ErrorCode; readonly comment?: string } }
  [member: string]: unknown
}

export function refusalOf({ code, message, comment }: AssentError): Refusal {
  const advice = next[code]
  const text = advice === undefined ? message : `${message}\n\n${advice}`
  return {
    content: [{ type: 'text', text }],
    isError: true,
    _meta: { 'assent/refusal': { code, ...compact({ comment }) } },
  }
}
