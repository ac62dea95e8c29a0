// Options of `assent init`, and the ids of its clients.

import type { Scope } from '../setup/init/clients.ts'

export interface InitOptions {
  readonly scope?: Scope
  readonly dryRun?: true
  readonly yes?: true
  readonly undo?: true
  /** False with --no-habit. */
  readonly habit: boolean
}

/** A copy of the names, so that `--help` does not have to load the table of clients. */
export const clientNames = [
  'vscode',
  'claude-code',
  'cursor',
  'codex',
  'gemini-cli',
  'goose',
  'zed',
  'opencode',
] as const
