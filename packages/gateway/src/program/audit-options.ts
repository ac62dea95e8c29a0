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
  /** A folder with an exported log. */
  readonly log?: string
  /** A file with the entries, as `audit export` prints them, to compare with that log. */
  readonly entries?: string
}

export interface ExportOptions extends AuditOptions {
  readonly format: string
  readonly since?: string
  readonly after?: string
  /** The folder for the log itself, instead of lines on standard output. */
  readonly log?: string
  readonly key?: string
}

/** The result, as text for a person and as fields for a script. */
export interface AuditReport {
  readonly code: ExitCode
  readonly words: string
  readonly report: Readonly<Record<string, unknown>>
}
