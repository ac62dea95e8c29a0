// Implements `assent audit`: verifies the audit log, compares asks and grants with it, and compares it with checkpoints
// and with the proof of one ask.

import { type AuditProof, compact, type NoteKey, type TreeHead, verifierKey, verifyProof } from '@assent/core'
import type { RecordProblem, Store } from '@assent/store'
import { problemText } from '../config/problem.ts'
import { auditProblem, auditUsage, readJsonFile, readLogKeys, readTextFile } from './audit-files.ts'
import { verifyLogIn } from './audit-log-verify.ts'
import type { AuditOptions, AuditReport, VerifyOptions } from './audit-options.ts'
import { loadStoreConfig, storeInWords, usualFile } from './config-file.ts'
import { exitCodes } from './exit-codes.ts'
import { openState, storePlace } from './state.ts'
import type { Terminal } from './terminal.ts'
import { auditText as text } from './text/audit.ts'

/** Problems printed as text; `--json` lists more. */
const problemsShown = 10

export async function verifyAudit(options: VerifyOptions, terminal: Terminal): Promise<AuditReport> {
  const { config, tenant, checkpoint, key, proof: proofFile, log, entries } = options
  if (log !== undefined) return verifyLogIn(log, options)
  if (entries !== undefined) return auditUsage(text.verifyLog.entriesNeedLog)
  const keys = readLogKeys(key)
  if (!Array.isArray(keys)) return keys
  const note = checkpoint === undefined ? undefined : readTextFile(checkpoint)
  if (proofFile === undefined) {
    return withStore(config, terminal, (store, place) => verifyLog(store, tenant, { note, keys }, place))
  }

  const raw = readJsonFile(proofFile)
  const verdict = verifyProof(raw, keys.length === 0 ? undefined : keys)
  if (!verdict.ok) {
    return auditProblem(verdict.problem, { proof: proofFile, ...compact({ seq: verdict.seq }) })
  }
  if (config === undefined) return proofAlone(verdict.proof, keys.length > 0)
  return withStore(config, terminal, async (store, place) => {
    const { proof } = verdict
    const whole = await verifyLog(store, proof.tenant, { note, keys, ofProof: proof.checkpoint }, place)
    return whole.code === exitCodes.ok ? proofInRecord(proof, store, whole) : whole
  })
}

/** Prints the current signed checkpoint, unless something does not match. */
export async function printCheckpoint({ config, tenant }: AuditOptions, terminal: Terminal): Promise<AuditReport> {
  return withStore(config, terminal, async (store) => {
    const verdict = await store.record.verify(tenant)
    if (!verdict.ok) return problems(verdict.problems, { tenant }, text.nothingPrinted)
    if (verdict.lastSeq === 0) return auditProblem(text.emptyLog)
    return { code: exitCodes.ok, words: verdict.checkpoint.trimEnd(), report: {} }
  })
}

/** Prints the keys that verify checkpoints of this log. */
export async function printLogKeys({ config, tenant }: AuditOptions, terminal: Terminal): Promise<AuditReport> {
  return withStore(config, terminal, async (store) => {
    const keys = (await store.audit.keys(tenant)).map(verifierKey)
    return { code: exitCodes.ok, words: keys.join('\n'), report: {} }
  })
}

interface OlderLog {
  /** A checkpoint that was kept elsewhere. */
  readonly note: string | undefined
  readonly keys: readonly NoteKey[]
  /** The checkpoint of a proof, which has to be one of this log too. */
  readonly ofProof?: string
}

async function verifyLog(
  store: Store,
  tenant: string,
  { note, keys, ofProof }: OlderLog,
  place: string,
): Promise<AuditReport> {
  const origin = await store.audit.origin(tenant)
  if (keys.length > 0 && !keys.some(({ name }) => name === origin)) {
    return auditProblem(text.otherLog(tenant, origin, [...new Set(keys.map(({ name }) => name))]), { tenant, origin })
  }
  const older: TreeHead[] = []
  for (const one of [note, ofProof]) {
    const opened = one === undefined ? undefined : await store.audit.openCheckpoint(tenant, one, keys)
    if (opened?.ok === false) return auditProblem(text.otherCheckpoint(opened.problem), { tenant })
    if (opened !== undefined) older.push(opened.head)
  }
  const verdict = await store.record.verify(tenant, older)
  if (!verdict.ok) return problems(verdict.problems, { tenant })
  const { lastSeq, asks, grants } = verdict
  const report = { ...verdict, tenant, checkpoints: older.length }
  if (lastSeq === 0) {
    // Who has its keys or a checkpoint expects entries.
    if (keys.length > 0 || older.length > 0) return auditProblem(text.emptied(tenant, place), { ...report, ok: false })
    return { code: exitCodes.ok, words: text.empty(tenant, place), report }
  }
  const unverified = verdict.unknownKeys === 0 ? [] : [text.unknownKeys(verdict.unknownKeys)]
  const words = [
    text.consistent(lastSeq, asks, grants),
    ...(verdict.erased === 0 ? [] : [text.erased(verdict.erased)]),
    ...unverified,
    checkpointText(note === undefined ? undefined : older[0]),
  ]
  return { code: exitCodes.ok, words: words.join(' '), report }
}

/** Reported because the log by itself proves only consistency: a log that began anew is consistent too. */
function checkpointText(older: TreeHead | undefined): string {
  return older === undefined ? text.notCompared : text.matches(older.size)
}

function problems(found: readonly RecordProblem[], more: Readonly<Record<string, unknown>>, before = ''): AuditReport {
  const shown = found.slice(0, problemsShown).map(({ problem }) => problem)
  const rest = found.length > shown.length ? [text.more(found.length - shown.length)] : []
  const words = `${before}${[...shown, ...rest].join('\n')}`
  const { seq, problem } = found[0] ?? { problem: words }
  const first = seq === undefined ? { problem } : { problem, seq }
  return { code: exitCodes.problem, words, report: { ok: false, ...more, ...first, problems: found } }
}

function proofAlone({ ask, entries }: AuditProof, isTrusted: boolean): AuditReport {
  const numbers = entries.map(({ seq }) => seq)
  const words = isTrusted ? text.provenProof(ask, numbers) : text.proof(ask, numbers)
  return { code: exitCodes.ok, words, report: { ok: true, ask, entries: numbers, inRecord: null } }
}

async function proofInRecord(proof: AuditProof, store: Store, whole: AuditReport): Promise<AuditReport> {
  const { tenant, ask, entries } = proof
  for (const { seq, hash } of entries) {
    const { value: found } = await store.audit.entries(tenant, seq - 1).next()
    if (found === undefined) return auditProblem(text.missingEntry(seq), { ask, seq })
    if (found.seq !== seq || found.hash !== hash) return auditProblem(text.otherEntry(seq), { ask, seq })
  }
  const numbers = entries.map(({ seq }) => seq)
  const words = `${whole.words} ${text.proofFound(ask, numbers)}`
  return { code: exitCodes.ok, words, report: { ...whole.report, ask, entries: numbers, inRecord: true } }
}

export async function withStore(
  file: string | undefined,
  terminal: Terminal,
  act: (store: Store, place: string) => Promise<AuditReport>,
): Promise<AuditReport> {
  const loaded = loadStoreConfig(file, terminal)
  if (!loaded.ok) {
    const found =
      'unreadable' in loaded
        ? loaded.unreadable
        : loaded.problems.map((one) => problemText(file ?? usualFile, one)).join('\n')
    return auditProblem(text.configuration(found))
  }
  const { store } = await openState(loaded.config, terminal.variables, {})
  try {
    return await act(store, storeInWords(storePlace(loaded.config.store, terminal.variables)))
  } finally {
    await store.close()
  }
}
