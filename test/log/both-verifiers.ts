// Runs the verifier in core and the independent one in Python on the same files.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verifyLogExport } from '../../packages/core/src/log/verify-export.ts'
import { readLogKeys } from '../../packages/gateway/src/program/audit-files.ts'
import type { Files } from './sample-log.ts'

const script = fileURLToPath(new URL('../../scripts/verify-log.py', import.meta.url))

/** An export, and what the verifier has of its own. */
export interface Evidence {
  readonly files: Files
  /** Keys of the log, one per line. */
  readonly keys: string
  readonly older?: string
}

/** Both verdicts, in words. */
export interface Verdicts {
  readonly core: string
  readonly python: string
}

export function writeUnder(folder: string, path: string, content: string | Uint8Array): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

/** One line for each list of arguments, from one process: starting Python takes longer than verifying. */
export function runPython(batch: readonly (readonly string[])[]): string[] {
  const input = batch.map((args) => JSON.stringify(args)).join('\n')
  const { status, stdout, stderr } = spawnSync('python3', [script, 'batch'], { input, encoding: 'utf8' })
  const lines = stdout.trimEnd().split('\n')
  if ((status !== 0 && status !== 1) || stderr !== '' || lines.length !== batch.length) {
    throw new Error(`The independent verifier failed: ${stdout}${stderr}`)
  }
  return lines
}

/** Each export is written to its own folder below this one. */
export async function verdictsOn(folder: string, cases: readonly Evidence[]): Promise<Verdicts[]> {
  const core: string[] = []
  const batch: string[][] = []
  for (const [at, { files, keys, older }] of cases.entries()) {
    const log = join(folder, String(at), 'log')
    for (const [path, bytes] of files) writeUnder(log, path, bytes)
    mkdirSync(log, { recursive: true })
    const kept = older === undefined ? [] : ['--older', writeUnder(folder, `${at}/older`, older)]
    const keyFile = writeUnder(folder, `${at}/keys`, keys)
    batch.push(['export', log, '--keys', keyFile, ...kept])
    core.push(await verdictOfCore(log, keyFile, older))
  }
  return runPython(batch).map((python, at) => ({ core: core[at] ?? '', python }))
}

/** The verdict of the verifier in core on an exported folder. */
export async function verdictOfCore(log: string, keyFile: string, older: string | undefined): Promise<string> {
  const keys = readLogKeys(keyFile)
  if (!Array.isArray(keys)) return `not verified: ${keys.words}`
  const verdict = await verifyLogExport((path) => readIfAny(join(log, path)), keys, older)
  return verdict.ok ? `verified: ${verdict.head.size} entries` : `not verified: ${verdict.problem}`
}

async function readIfAny(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file)
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    if (isMissing) return undefined
    throw error
  }
}
