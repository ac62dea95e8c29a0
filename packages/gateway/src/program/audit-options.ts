// Options and results of `assent audit`.

import type { ExitCode } from './exit-codes.ts'

export interface AuditOptions {
  readonly config?: string
  readonly tenant: string
  readonly json?: true
}

export interface VerifyOptions extends AuditOptions {
  readonly checkpoint?: string
  readonly key?: string
  readonly proof?: string
}

export interface CheckpointOptions extends AuditOptions {
  readonly key: string
  readonly keyId: string
}

/** The result, as text for a person and as fields for a script. */
export interface AuditReport {
  readonly code: ExitCode
  readonly words: string
  readonly report: Readonly<Record<string, unknown>>
}
