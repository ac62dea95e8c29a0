// Why onboarding did not do what was asked: a code for programs, a message for people, and what to do next.

import type { Refusal } from './text/refusals.ts'

export type OnboardingErrorCode =
  | 'USER_APPROVAL_REQUIRED'
  | 'NO_KEY'
  | 'TOO_MUCH_TO_SHOW'
  | 'ANSWER_NOT_VALID'
  | 'NOT_PROPOSED'
  | 'NOT_APPROVED'
  | 'NOTHING_TO_DO'
  | 'UNKNOWN_CHOICE'
  | 'CHANGED_SINCE_APPROVAL'
  | 'CHANGED_WHILE_ASKING'
  | 'NOTHING_TO_ROLL_BACK'
  | 'ROLLBACK_EXPIRED'
  | 'INTERRUPTED'
  | 'BUSY'
  | 'UNSAFE_PATH'
  | 'NOT_WRITABLE'
  | 'BACKUP_FAILED'
  | 'BACKUP_DAMAGED'
  | 'STATE_DAMAGED'
  | 'MIGRATION_FAILED'

export class OnboardingError extends Error {
  readonly code: OnboardingErrorCode
  readonly suggestion: string

  constructor(code: OnboardingErrorCode, message: string, suggestion: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'OnboardingError'
    this.code = code
    this.suggestion = suggestion
  }
}

export function refusal(
  code: OnboardingErrorCode,
  { message, suggestion }: Refusal,
  options?: { readonly cause?: unknown },
): OnboardingError {
  return new OnboardingError(code, message, suggestion, options)
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
