// Options of `assent init`, and the ids of its clients.

import { nearest } from '../config/nearest.ts'
import type { Scope } from '../setup/init/clients.ts'
import { initText } from './text/init.ts'

export interface InitOptions {
  readonly scope: Scope
  /** Every client that was found. */
  readonly all?: true
  readonly diff?: true
  readonly dryRun?: true
  readonly yes?: true
  readonly undo?: true
  /** False with --no-rules. */
  readonly rules: boolean
}

/** A copy of the names, so that `--help` does not have to load the table of clients. */
export const clientNames: readonly string[] = [
  'vscode',
  'claude-code',
  'claude-desktop',
  'cursor',
  'codex',
  'gemini-cli',
  'goose',
  'zed',
  'opencode',
]

/** Undefined if every name is the name of a client. */
export function unknownClient(names: readonly string[]): string | undefined {
  const unknown = names.find((name) => !clientNames.includes(name))
  if (unknown === undefined) return undefined
  return initText.choice.unknown(unknown, nearest(unknown, clientNames), clientNames)
}
