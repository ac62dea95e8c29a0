// Implements `assent audit verify --log`: verifies an exported audit log from its files alone, without a database.
//
// Which log it is, the caller decides: the keys come from `--key`, never from the folder. The log is refused unless it is signed by
// one of them.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import {
  ExportedBodies,
  isPlainObject,
  leafHash,
  type NoteKey,
  parseBundle,
  tileIn,
  tilePath,
  tileWidth,
  verifyLogExport,
  verifyProof,
} from '@assent/core'
import { auditProblem, auditUsage, readJsonFile, readLogKeys, readTextFile } from './audit-files.ts'
import type { AuditReport, VerifyOptions } from './audit-options.ts'
import { exitCodes } from './exit-codes.ts'
import { readLogFile } from './log-folder.ts'
import { auditText } from './text/audit.ts'

const text = auditText.verifyLog

export async function verifyLogIn(folder: string, options: VerifyOptions): Promise<AuditReport> {
  const { config, checkpoint, key, proof, entries } = options
  if (config !== undefined) return auditUsage(text.logOrConfig)
  if (key === undefined) return auditUsage(text.needsKey)
  const keys = readLogKeys(key)
  if (!Array.isArray(keys)) return keys
  const read = (path: string) => readLogFile(folder, path)
  const older = checkpoint === undefined ? undefined : readTextFile(checkpoint)
  const verdict = await verifyLogExport(read, keys, older)
  if (!verdict.ok) return auditProblem(verdict.problem, { log: folder })
  const { head } = verdict
  const report = {
    ok: true,
    log: folder,
    origin: head.origin,
    entries: head.size,
    root: Buffer.from(head.root).toString('base64'),
    checkpoints: older === undefined ? 0 : 1,
  }
  const words = [text.consistent(head.origin, head.size), older === undefined ? auditText.notCompared : text.continues]
  const more = [
    ...(entries === undefined ? [] : [() => entriesIn(folder, head.size, entries)]),
    ...(proof === undefined ? [] : [() => proofIn(folder, head.size, proof, keys)]),
  ]
  let whole: AuditReport = { code: exitCodes.ok, words: words.join(' '), report }
  for (const act of more) {
    const found = await act()
    if (found.code !== exitCodes.ok) return found
    whole = { ...whole, words: `${whole.words} ${found.words}`, report: { ...whole.report, ...found.report } }
  }
  return whole
}

/** Compares the lines of `audit export` with the log, which was verified before. Lines after its end belong to a later log. */
async function entriesIn(folder: string, size: number, file: string): Promise<AuditReport> {
  const bodies = new ExportedBodies()
  let bundle: { readonly index: number; readonly leaves: readonly Uint8Array[] } = { index: -1, leaves: [] }
  let number = 0
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) {
    number += 1
    const read = lineIn(line)
    if (read === undefined) return auditProblem(text.notLines(file, number), { entries: file })
    if (read.type !== 'entry') continue
    if (bodies.entries === size) break
    const index = Math.floor(bodies.entries / tileWidth)
    if (bundle.index !== index) bundle = { index, leaves: await leavesOf(folder, index, size) }
    const problem = bodies.add(read, bundle.leaves[bodies.entries % tileWidth] ?? new Uint8Array(0))
    if (problem !== undefined) return auditProblem(problem, { entries: file, line: number })
  }
  if (bodies.entries < size) return auditProblem(text.entriesMissing(file, bodies.entries + 1), { entries: file })
  const compared = size - bodies.erased
  return {
    code: exitCodes.ok,
    words: text.entries(compared, bodies.erased),
    report: { texts: compared, erased: bodies.erased },
  }
}

function lineIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = JSON.parse(line)
    return isPlainObject(read) ? read : undefined
  } catch {
    return undefined
  }
}

/** Whether the entries of a proof are at their places in the log, which was verified before. */
async function proofIn(folder: string, size: number, file: string, keys: readonly NoteKey[]): Promise<AuditReport> {
  const verdict = verifyProof(readJsonFile(file), keys)
  if (!verdict.ok) return auditProblem(verdict.problem, { proof: file })
  const { ask, entries } = verdict.proof
  for (const { seq, hash } of entries) {
    const found = await leafAt(folder, seq - 1, size)
    if (found === undefined) return auditProblem(auditText.missingEntry(seq), { ask, seq })
    const isSame = Buffer.from(leafHash(found)).toString('hex') === hash
    if (!isSame) return auditProblem(auditText.otherEntry(seq), { ask, seq })
  }
  const numbers = entries.map(({ seq }) => seq)
  return { code: exitCodes.ok, words: auditText.proofFound(ask, numbers), report: { ask, proven: numbers } }
}

async function leafAt(folder: string, index: number, size: number): Promise<Uint8Array | undefined> {
  if (index >= size) return undefined
  return (await leavesOf(folder, Math.floor(index / tileWidth), size))[index % tileWidth]
}

/** The entries of a bundle. */
async function leavesOf(folder: string, index: number, size: number): Promise<readonly Uint8Array[]> {
  const bundle = tileIn(size, 'entries', index)
  const bytes = bundle === undefined ? undefined : await readLogFile(folder, tilePath(bundle))
  return (bytes === undefined ? undefined : parseBundle(bytes, bundle?.width ?? 0)) ?? []
}
