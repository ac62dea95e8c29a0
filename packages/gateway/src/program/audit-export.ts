// Implements `assent audit export`: the entries of the audit log and the recorded calls, one JSON object per line.
//
// Both are read in pages and merged by time, so memory does not grow with their number. Every line has a cursor: an
// export that was interrupted continues after the last line that arrived. A recorded call that was exported before it
// ended is exported again when it has ended, with the same id.

import { Buffer } from 'node:buffer'
import { type AuditEntry, isErased } from '@assent/core'
import type { RecordedPosition, Store, StoredRecordedCall } from '@assent/store'
import { readDuration } from '../config/units.ts'
import { safeJson } from '../inbox/terminal/safe-json.ts'
import { withStore } from './audit.ts'
import { auditUsage } from './audit-files.ts'
import { exportLogTo } from './audit-log-export.ts'
import type { AuditReport, ExportOptions } from './audit-options.ts'
import { exitCodes } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'
import { auditText as text } from './text/audit.ts'

interface ExportPosition {
  /** The number of the last entry. */
  readonly seq: number
  readonly call: RecordedPosition
}

type Exported =
  | { readonly atMs: number; readonly entry: AuditEntry }
  | { readonly atMs: number; readonly call: StoredRecordedCall }

/** Lines after which the command waits until its reader has taken them. */
const linesAtOnce = 500

export async function exportAudit(options: ExportOptions, terminal: Terminal): Promise<AuditReport> {
  const { config, tenant, since, after, format, log, key } = options
  if (format !== 'jsonl') return auditUsage(text.export.format(format))
  if (log !== undefined) return exportLogTo(log, options, terminal)
  if (key !== undefined) return auditUsage(text.exportLog.needsLog)
  if (since !== undefined && after !== undefined) return auditUsage(text.export.sinceOrAfter)
  const sinceMs = since === undefined ? 0 : timeIn(since, Date.now())
  if (sinceMs === undefined) return auditUsage(text.export.since(since ?? ''))
  const given = after === undefined ? undefined : readExportCursor(after)
  if (after !== undefined && given === undefined) return auditUsage(text.export.cursor)
  return withStore(config, terminal, async (store) => {
    const start = given ?? (await startAt(store, tenant, sinceMs))
    return printAll(store, tenant, start, sinceMs, terminal)
  })
}

async function printAll(
  store: Store,
  tenant: string,
  start: ExportPosition,
  sinceMs: number,
  { out, taken = async () => true }: Terminal,
): Promise<AuditReport> {
  let at = start
  const counts = { entries: 0, calls: 0 }
  for await (const one of merged(entriesOf(store, tenant, start.seq), callsOf(store, tenant, start.call))) {
    // The numbers of entries follow their times only roughly.
    if ('entry' in one && one.atMs < sinceMs) continue
    at = 'entry' in one ? { ...at, seq: one.entry.seq } : { ...at, call: { atMs: one.atMs, id: one.call.id } }
    counts['entry' in one ? 'entries' : 'calls']++
    out(lineOf(one, exportCursor(at)))
    const isPause = (counts.entries + counts.calls) % linesAtOnce === 0
    if (isPause && !(await taken())) break
  }
  const next = exportCursor(at)
  return {
    code: exitCodes.ok,
    words: text.export.done(counts.entries, counts.calls, next),
    report: { ...counts, next },
  }
}

async function startAt(store: Store, tenant: string, sinceMs: number): Promise<ExportPosition> {
  return { seq: await store.audit.lastBefore(tenant, sinceMs), call: { atMs: sinceMs, id: '' } }
}

async function* entriesOf(store: Store, tenant: string, afterSeq: number): AsyncGenerator<Exported> {
  for await (const entry of store.audit.entries(tenant, afterSeq)) yield { atMs: entry.atMs, entry }
}

async function* callsOf(store: Store, tenant: string, after: RecordedPosition): AsyncGenerator<Exported> {
  for await (const call of store.recordedCalls.since(tenant, after)) yield { atMs: call.recordedAtMs, call }
}

/** Oldest first. Holds one item of each. */
async function* merged(one: AsyncGenerator<Exported>, other: AsyncGenerator<Exported>): AsyncGenerator<Exported> {
  let [first, second] = [await one.next(), await other.next()]
  while (first.done !== true || second.done !== true) {
    if (second.done === true || (first.done !== true && first.value.atMs <= second.value.atMs)) {
      yield first.value
      first = await one.next()
    } else {
      yield second.value
      second = await other.next()
    }
  }
}

function lineOf(one: Exported, cursor: string): string {
  if ('entry' in one) {
    const { seq, atMs, kind, subject, counter, digest, salt, hash, body } = one.entry
    const at = timeText(atMs)
    if (isErased(one.entry))
      return safeJson({ type: 'entry', seq, at, kind, subject, counter, erased: true, digest, hash, cursor })
    const digests = { digest, salt, hash }
    // The leaf was made for exactly this text: another spelling of the same JSON has another digest.
    const bodies = { body: JSON.parse(body), text: body }
    return safeJson({ type: 'entry', seq, at, kind, subject, counter, ...bodies, ...digests, cursor })
  }
  const { tenant: _tenant, beganAtMs, endedAtMs, recordedAtMs, arguments: args, ...call } = one.call
  return safeJson({
    type: 'call',
    ...call,
    ...(args === undefined ? {} : { arguments: JSON.parse(args) }),
    outcome: call.outcome ?? 'unfinished',
    at: timeText(beganAtMs),
    ...(endedAtMs === undefined ? {} : { durationMs: Math.max(0, endedAtMs - beganAtMs) }),
    recordedAt: timeText(recordedAtMs),
    cursor,
  })
}

function timeText(ms: number): string {
  return new Date(ms).toISOString()
}

/** `7d` or `2026-11-17T22:00:00Z`; undefined if it is neither. */
function timeIn(written: string, nowMs: number): number | undefined {
  const ago = readDuration(written)
  if (ago !== undefined) return Math.max(0, nowMs - ago)
  const time = /^\d{4}-\d{2}-\d{2}/.test(written) ? Date.parse(written) : Number.NaN
  return Number.isNaN(time) ? undefined : Math.max(0, time)
}

function exportCursor({ seq, call }: ExportPosition): string {
  return Buffer.from(JSON.stringify([seq, call.atMs, call.id])).toString('base64url')
}

/** Only a position: what may be read, the configuration decides. */
function readExportCursor(cursor: string): ExportPosition | undefined {
  try {
    const [seq, atMs, id]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(atMs) || typeof id !== 'string') return undefined
    return { seq: seq as number, call: { atMs: atMs as number, id } }
  } catch {
    return undefined
  }
}
