// Files that `assent audit` reads: texts, JSON, and keys of logs.

import { readFileSync } from 'node:fs'
import { type NoteKey, parseVerifierKey, readJson } from '@assent/core'
import type { AuditReport } from './audit-options.ts'
import { exitCodes } from './exit-codes.ts'
import { auditText as text } from './text/audit.ts'

/** Entries contain their JSON as strings, so the proof itself is nested only a few levels deep. */
const proofDepth = 8

export function auditProblem(words: string, more: Readonly<Record<string, unknown>> = {}): AuditReport {
  return { code: exitCodes.problem, words, report: { ok: false, problem: words, ...more } }
}

export function auditUsage(words: string): AuditReport {
  return { code: exitCodes.usage, words, report: { ok: false, problem: words } }
}

/** Reads verifier keys of a log, one per line; or returns the first problem. None without a file. */
export function readLogKeys(file: string | undefined): NoteKey[] | AuditReport {
  if (file === undefined) return []
  const lines = readTextFile(file)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const found = lines.map(parseVerifierKey).filter((key) => key !== undefined)
  return found.length === lines.length && found.length > 0 ? found : auditProblem(text.noKey(file))
}

export function readJsonFile(file: string): unknown {
  const json = readTextFile(file)
  try {
    return readJson(json, { depth: proofDepth, halfPairs: 'refuse', numbers: 'exact' })
  } catch (error) {
    throw new Error(text.notJson(file), { cause: error })
  }
}

export function readTextFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(text.unreadable(file), { cause: error })
  }
}
