// Runs the official suite as a program and reads its results.
//
// The suite writes one folder per scenario, named by the scenario and the time, with its checks in a file. This module
// knows that layout and the suite's options; it evaluates nothing.
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Check, Verdicts } from './verdicts.ts'

export const REVISIONS = ['2026-07-28', '2025-11-25'] as const
export type Revision = (typeof REVISIONS)[number]
export type Role = 'server' | 'client'

/** For a busy machine. The suite's own default is 30 s for each scenario. */
const SCENARIO_LIMIT_MS = 120_000
/** No run takes longer than this, so a longer one is stuck. */
const RUN_LIMIT_MS = 900_000

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
const repository = fileURLToPath(new URL('..', import.meta.url))

export interface SuiteRun {
  readonly verdicts: Verdicts
  /** The suite's verdict, which for a client includes the exit of the program. */
  readonly exitCode: number
  readonly output: string
}

/** Every scenario of a revision's set, the unscored ones included. */
export function runServerSet(url: string, revision: Revision): Promise<SuiteRun> {
  return runSuite(['server', '--url', url, '--requirements', revision])
}

export function runServerScenario(url: string, revision: Revision, scenario: string): Promise<SuiteRun> {
  return runSuite(['server', '--url', url, '--spec-version', revision, '--scenario', scenario])
}

export function runClientScenario(revision: Revision, scenario: string, direct: boolean): Promise<SuiteRun> {
  const command = [
    process.execPath,
    '--conditions=assent-source',
    'conformance/client.ts',
    ...(direct ? ['--direct'] : []),
  ]
  return runSuite(['client', '--command', command.join(' '), '--spec-version', revision, '--scenario', scenario])
}

/** The scenarios a revision requires, in the order of the suite's own list. */
export async function requiredScenarios(revision: Revision, role: Role): Promise<readonly string[]> {
  const url = import.meta.resolve(`@modelcontextprotocol/conformance/requirements/${revision}.yaml`)
  const section = new RegExp(`^${role}:\\n((?: {2}- .+\\n)+)`, 'm').exec(await readFile(new URL(url), 'utf8'))
  if (section?.[1] === undefined) throw new Error(`the suite's requirements ${revision} have no ${role} list`)
  return section[1]
    .trimEnd()
    .split('\n')
    .map((line) => line.slice('  - '.length))
}

async function runSuite(args: readonly string[]): Promise<SuiteRun> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-suite-'))
  try {
    const limit = ['--timeout', String(SCENARIO_LIMIT_MS)]
    const { exitCode, output } = await runProgram([...args, ...limit, '--output-dir', folder])
    return { verdicts: await readVerdicts(folder), exitCode, output }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function runProgram(args: readonly string[]): Promise<{ exitCode: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { cwd: repository, timeout: RUN_LIMIT_MS })
    const chunks: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ exitCode: code ?? 1, output: Buffer.concat(chunks).toString() }))
  })
}

async function readVerdicts(folder: string): Promise<Verdicts> {
  const verdicts = new Map<string, readonly Check[]>()
  // A scenario's name may contain a slash, so its folder may be nested.
  for (const file of await readdir(folder, { recursive: true })) {
    const scenario = /^(?:server-)?(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z[/\\]checks\.json$/.exec(file)?.[1]
    if (scenario === undefined) continue
    verdicts.set(scenario, JSON.parse(await readFile(join(folder, file), 'utf8')))
  }
  return verdicts
}
