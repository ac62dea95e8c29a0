// Implements `assent audit export --log`: writes the audit log to a folder as a transparency log that anyone can verify.
//
// A second export into the same folder adds what is new. The checkpoint is written last, and only if the log continues the one that
// the folder has: so a folder that was exported before a log was cut off or rewritten stays as it is, as evidence.

import { emptyEdge, exportLogFiles, leafOf, rootOf } from '@assent/core'
import type { LogHead, Store } from '@assent/store'
import { withStore } from './audit.ts'
import { auditProblem, auditUsage, readLogKeys } from './audit-files.ts'
import type { AuditReport, ExportOptions } from './audit-options.ts'
import { exitCodes } from './exit-codes.ts'
import { checkpointFile, isFreeForLog, readLogFile, writeLogFile } from './log-folder.ts'
import type { Terminal } from './terminal.ts'
import { auditText } from './text/audit.ts'

const text = auditText.exportLog
const emptyTree = { size: 0, root: rootOf(emptyEdge) }

export async function exportLogTo(
  folder: string,
  { config, tenant, since, after, key }: ExportOptions,
  terminal: Terminal,
): Promise<AuditReport> {
  if (since !== undefined || after !== undefined) return auditUsage(text.wholeLog)
  const keys = readLogKeys(key)
  if (!Array.isArray(keys)) return keys
  return withStore(config, terminal, async (store) => {
    const head = await store.audit.integrate(tenant)
    if (head.size === 0) return auditProblem(auditText.emptyLog)
    const note = await readLogFile(folder, checkpointFile)
    if (note === undefined && !(await isFreeForLog(folder))) return auditProblem(text.notFree(folder))
    const older =
      note === undefined
        ? undefined
        : await store.audit.openCheckpoint(tenant, Buffer.from(note).toString('utf8'), keys)
    if (older?.ok === false) return auditProblem(text.otherLog(folder, older.problem))
    return writeLog(store, { tenant, folder, head, older: older?.head ?? emptyTree })
  })
}

interface LogToWrite {
  readonly tenant: string
  readonly folder: string
  readonly head: LogHead
  readonly older: Pick<LogHead, 'size' | 'root'>
}

async function writeLog(store: Store, { tenant, folder, head, older }: LogToWrite): Promise<AuditReport> {
  const written = await exportLogFiles({
    older,
    head,
    tile: store.audit.tiles(tenant),
    leaves: (from) => leavesOf(store, tenant, from),
    write: (path, bytes) => writeLogFile(folder, path, bytes),
  })
  if (!written.ok) return auditProblem(text.refused(folder, written.problem))
  await writeLogFile(folder, checkpointFile, head.checkpoint)
  const added = head.size - older.size
  return {
    code: exitCodes.ok,
    words: text.done(added, head.size, folder),
    report: { ok: true, entries: head.size, added, files: written.files },
  }
}

async function* leavesOf(store: Store, tenant: string, from: number): AsyncGenerator<Uint8Array | undefined> {
  for await (const entry of store.audit.entries(tenant, from)) yield leafOf(entry)
}
