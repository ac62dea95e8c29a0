// Runs the program as users do: in a separate process, with a configuration in a temporary folder.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { createDatabase } from '../../../../test-kit/postgres.ts'
import { removeFolder } from '../../../../test-kit/remove-folder.ts'
import { until } from '../../../../test-kit/until.ts'
import { runCommandLine } from './program.ts'

const main = fileURLToPath(new URL('main.ts', import.meta.url))
const source = ['--conditions=assent-source', main]
export const asking = fileURLToPath(new URL('../contract/stdio-server.suite.ts', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export type Variables = Readonly<Record<string, string | undefined>>

interface ProcessOptions {
  readonly variables?: Variables
  readonly folder?: string
}

/** Runs one command until it exits. */
export function assent(words: readonly string[], options: ProcessOptions = {}): Promise<Ended> {
  return startAssent(words, options).ended
}

/** Starts one command. */
export function startAssent(
  words: readonly string[],
  { variables = {}, folder }: ProcessOptions = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [...source, ...words], { env: { ...minimalEnv(), ...variables }, cwd: folder })
  child.stdin.end()
  const received = collectOutput(child)
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { child, ended: closed.then((code) => ({ code, ...received })) }
}

/** Runs one command in this process, which is faster. */
export async function assentHere(words: readonly string[], variables: Variables = {}): Promise<Ended> {
  const received = { out: '', err: '' }
  const code = await runCommandLine(words, {
    out: (text) => {
      received.out += `${text}\n`
    },
    err: (text) => {
      received.err += `${text}\n`
    },
    variables,
    isOutColoured: false,
    isErrColoured: false,
  })
  return { code, ...received }
}

export async function aFolder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-program-'))
  closeAfterTest(() => removeFolder(folder))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

export interface Line {
  readonly level: string
  readonly msg: string
  readonly [name: string]: unknown
}

export interface RunningGateway {
  readonly url: string
  readonly folder: string
  readonly child: ChildProcess
  readonly received: { readonly out: string; readonly err: string }
  lines(): Line[]
  /** Writes another configuration and reloads it. */
  reload(config: string): Promise<void>
  /** Resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** A gateway on a free port. By default its store is a SQLite file next to its configuration. */
export async function aRunningGateway(
  config: string,
  variables: Variables = {},
  { isConfigNamed = true } = {},
): Promise<RunningGateway> {
  const folder = await aFolder()
  const file = join(folder, 'assent.yaml')
  const settings = { ASSENT_LISTEN: '127.0.0.1:0', ASSENT_STORE: `sqlite:${folder}/assent.db`, ...variables }
  await writeFile(file, config)
  const named = isConfigNamed ? ['--config', file] : []
  const options = { env: { ...minimalEnv(), ...settings }, ...(isConfigNamed ? {} : { cwd: folder }) }
  const child = spawn(process.execPath, [...source, 'gateway', ...named], options)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  closeAfterTest(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const received = collectOutput(child)
  const lines = () => linesOf(received.err)
  const listening = await until(() => {
    if (child.exitCode !== null) throw new Error(`The gateway exited: ${received.err}`)
    return lines().find(({ msg }) => msg === 'Listening.')
  }, 60_000)
  return {
    url: String(listening.url),
    folder,
    child,
    received,
    lines,
    reload: async (text) => {
      const before = lines().length
      await writeFile(file, text)
      child.kill('SIGHUP')
      await until(() =>
        lines()
          .slice(before)
          .some(({ msg }) => msg.startsWith('The new configuration is'))
          ? true
          : undefined,
      )
    },
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
  }
}

/** The complete lines written so far. */
function linesOf(text: string): Line[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))
}

function collectOutput(child: ChildProcess): { out: string; err: string } {
  const received = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    received.out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    received.err += text
  })
  return received
}

/** Only the environment variables that a program needs to start, and the one with which it starts in half the time. */
export function minimalEnv(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) }
}

export function aProcessOf(generation: '2025-11-25' | '2026-07-28'): string {
  const args = ['--conditions=assent-source', asking, generation].map((word) => JSON.stringify(word))
  return `{ command: ${JSON.stringify(process.execPath)}, args: [${args.join(', ')}] }`
}

/** For configurations that need one. */
export const aKey: string = Buffer.alloc(32, 3).toString('base64')

/** An empty database that is dropped after the test. */
export async function aDatabase(): Promise<{ name: string; url: string }> {
  const { name, url, drop } = await createDatabase()
  closeAfterTest(drop)
  return { name, url }
}

/** Whether to skip a test that needs this program. Never in CI, where scripts/programs installs them. */
export function mayBeMissing(program: string): boolean {
  return process.env.CI === undefined && spawnSync('which', [program]).status !== 0
}
