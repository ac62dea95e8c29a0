// Implements `assent audit`: verifies the audit log, compares asks and grants with it, and compares it with checkpoints
// and with the proof of one ask.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  type AuditProof,
  type Checkpoint,
  compact,
  isPlainObject,
  readJson,
  verifyCheckpoint,
  verifyProof,
} from '@assent/core'
import type { RecordProblem, Store } from '@assent/store'
import { problemText } from '../config/problem.ts'
import type { AuditReport, CheckpointOptions, VerifyOptions } from './audit-options.ts'
import { loadStoreConfig, storeInWords, usualFile } from './config-file.ts'
import { exitCodes } from './exit-codes.ts'
import { openState, storePlace } from './state.ts'
import type { Terminal } from './terminal.ts'
import { auditText as text } from './text/audit.ts'

/** Entries contain their JSON as strings, so the proof itself is nested only a few levels deep. */
const proofDepth = 8
/** Problems printed as text; `--json` lists more. */
const problemsShown = 10

export async function verifyAudit(options: VerifyOptions, terminal: Terminal): Promise<AuditReport> {
  const { config, tenant, checkpoint, key, proof: proofFile } = options
  if ((checkpoint === undefined) !== (key === undefined)) {
    return problem(text.bothNeeded)
  }
  const checkpoints = checkpoint === undefined || key === undefined ? [] : readCheckpoints(checkpoint, key, tenant)
  if (!Array.isArray(checkpoints)) return checkpoints
  if (proofFile === undefined) {
    return withStore(config, terminal, (store, place) => verifyChain(store, tenant, checkpoints, place))
  }

  const verdict = verifyProof(readJsonFile(proofFile))
  if (!verdict.ok) {
    return problem(verdict.problem, { proof: proofFile, ...compact({ seq: verdict.seq }) })
  }
  if (config === undefined) return proofAlone(verdict.proof)
  return withStore(config, terminal, async (store, place) => {
    const whole = await verifyChain(store, verdict.proof.tenant, checkpoints, place)
    return whole.code === exitCodes.ok ? proofInRecord(verdict.proof, store, whole) : whole
  })
}

export async function signAudit(options: CheckpointOptions, terminal: Terminal): Promise<AuditReport> {
  const key = readKey(options.key, createPrivateKey)
  return withStore(options.config, terminal, async (store) => {
    const verdict = await store.record.verify(options.tenant)
    if (!verdict.ok) return problems(verdict.problems, { tenant: options.tenant }, text.nothingSigned)
    const signed = await store.audit.checkpoint(options.tenant, options.keyId, key)
    if (signed === undefined) return problem(text.nothingToSign)
    return { code: exitCodes.ok, words: '', report: { ...signed } }
  })
}

async function verifyChain(
  store: Store,
  tenant: string,
  checkpoints: readonly Checkpoint[],
  place: string,
): Promise<AuditReport> {
  const verdict = await store.record.verify(tenant, checkpoints)
  if (!verdict.ok) return problems(verdict.problems, { tenant })
  const { lastSeq, asks, grants } = verdict
  const report = { ...verdict, tenant, checkpoints: checkpoints.length }
  if (lastSeq === 0) return { code: exitCodes.ok, words: text.empty(tenant, place), report }
  const unverified = verdict.unknownKeys === 0 ? [] : [text.unknownKeys(verdict.unknownKeys)]
  const words = [text.consistent(lastSeq, asks, grants), ...unverified, checkpointText(checkpoints)]
  return { code: exitCodes.ok, words: words.join(' '), report }
}

/** Reported because the log by itself proves only consistency: a completely rewritten log is consistent too. */
function checkpointText(checkpoints: readonly Checkpoint[]): string {
  const latest = checkpoints.at(-1)
  return latest === undefined ? text.notCompared : text.matches(checkpoints.length, latest.seq)
}

function problems(found: readonly RecordProblem[], more: Readonly<Record<string, unknown>>, before = ''): AuditReport {
  const shown = found.slice(0, problemsShown).map(({ problem }) => problem)
  const rest = found.length > shown.length ? [text.more(found.length - shown.length)] : []
  const words = `${before}${[...shown, ...rest].join('\n')}`
  const { seq, problem } = found[0] ?? { problem: words }
  const first = seq === undefined ? { problem } : { problem, seq }
  return { code: exitCodes.problem, words, report: { ok: false, ...more, ...first, problems: found } }
}

function proofAlone({ ask, entries }: AuditProof): AuditReport {
  const numbers = entries.map(({ seq }) => seq)
  const words = text.proof(ask, numbers)
  return { code: exitCodes.ok, words, report: { ok: true, ask, entries: numbers, inRecord: null } }
}

async function proofInRecord(proof: AuditProof, store: Store, whole: AuditReport): Promise<AuditReport> {
  const { tenant, ask, entries } = proof
  const wanted = new Map(entries.map(({ seq, hash }) => [seq, hash]))
  for await (const { seq, hash } of store.audit.entries(tenant, (entries[0]?.seq ?? 1) - 1)) {
    if (wanted.has(seq) && wanted.get(seq) !== hash) {
      return problem(text.otherEntry(seq), { ask, seq })
    }
    wanted.delete(seq)
    if (wanted.size === 0) break
  }
  const [missing] = wanted.keys()
  if (missing !== undefined) return problem(text.missingEntry(missing), { ask, seq: missing })
  const numbers = entries.map(({ seq }) => seq)
  const words = `${whole.words} ${text.proofFound(ask, numbers)}`
  return { code: exitCodes.ok, words, report: { ...whole.report, ask, entries: numbers, inRecord: true } }
}

/** Reads the checkpoints of a file, one per line, all signed with this key; or returns the first problem. */
function readCheckpoints(file: string, keyFile: string, tenant: string): Checkpoint[] | AuditReport {
  const key = readKey(keyFile, createPublicKey)
  const found: Checkpoint[] = []
  for (const line of readText(file).split('\n')) {
    if (line.trim() === '') continue
    const one = parsed(line, file)
    if (!isCheckpoint(one)) return problem(text.notCheckpoint(file))
    if (!verifyCheckpoint(one, key)) {
      return problem(text.otherKey(one.seq), { seq: one.seq })
    }
    if (one.tenant !== tenant) return problem(text.otherTenant(one.seq, one.tenant))
    found.push(one)
  }
  if (found.length === 0) return problem(text.noCheckpoint(file))
  return found.sort((a, b) => a.seq - b.seq)
}

function isCheckpoint(value: unknown): value is Checkpoint {
  if (!isPlainObject(value) || !Number.isSafeInteger(value.seq) || !Number.isSafeInteger(value.atMs)) return false
  return ['tenant', 'hash', 'keyId', 'signature'].every((name) => typeof value[name] === 'string')
}

async function withStore(
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
    return problem(text.configuration(found))
  }
  const { store } = await openState(loaded.config, terminal.variables, {})
  try {
    return await act(store, storeInWords(storePlace(loaded.config.store, terminal.variables)))
  } finally {
    await store.close()
  }
}

function problem(words: string, more: Readonly<Record<string, unknown>> = {}): AuditReport {
  return { code: exitCodes.problem, words, report: { ok: false, problem: words, ...more } }
}

function readJsonFile(file: string): unknown {
  return parsed(readText(file), file)
}

function parsed(json: string, file: string): unknown {
  try {
    return readJson(json, { depth: proofDepth, halfPairs: 'refuse', numbers: 'exact' })
  } catch (error) {
    throw new Error(text.notJson(file), { cause: error })
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(text.unreadable(file), { cause: error })
  }
}

function readKey(file: string, read: (pem: string) => KeyObject): KeyObject {
  const pem = readText(file)
  try {
    const key = read(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch (error) {
    throw new Error(text.noKey(file), { cause: error })
  }
  throw new Error(text.otherKeyType(file))
}
