// The program as its users run it: a process of its own, with a configuration in a folder of its own.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { putAwayLater, until } from '../contract/stage.suite.ts'
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

interface Around {
  readonly variables?: Variables
  readonly folder?: string
}

/** Runs one command to its end. */
export function assent(words: readonly string[], around: Around = {}): Promise<Ended> {
  return startAssent(words, around).ended
}

/** Starts one command. */
export function startAssent(
  words: readonly string[],
  { variables = {}, folder }: Around = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [...source, ...words], { env: { ...plain(), ...variables }, cwd: folder })
  child.stdin.end()
  const heard = hear(child)
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { child, ended: closed.then((code) => ({ code, ...heard })) }
}

/** The same in this process: faster, where it makes no difference. */
export async function assentHere(words: readonly string[], variables: Variables = {}): Promise<Ended> {
  const heard = { out: '', err: '' }
  const code = await runCommandLine(words, {
    out: (text) => {
      heard.out += `${text}\n`
    },
    err: (text) => {
      heard.err += `${text}\n`
    },
    variables,
    isOutColoured: false,
    isErrColoured: false,
  })
  return { code, ...heard }
}

export async function aFolder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-program-'))
  putAwayLater(() => rm(folder, { recursive: true }))
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
  readonly heard: { readonly out: string; readonly err: string }
  lines(): Line[]
  /** Writes another configuration and has it read. */
  reload(config: string): Promise<void>
  /** Resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** A gateway that listens on a port of its own. The store is a file beside its configuration unless one is given. */
export async function aRunningGateway(
  config: string,
  variables: Variables = {},
  { isConfigNamed = true } = {},
): Promise<RunningGateway> {
  const folder = await aFolder()
  const file = join(folder, 'assent.yaml')
  const around = { ASSENT_LISTEN: '127.0.0.1:0', ASSENT_STORE: `sqlite:${folder}/assent.db`, ...variables }
  await writeFile(file, config)
  const named = isConfigNamed ? ['--config', file] : []
  const options = { env: { ...plain(), ...around }, ...(isConfigNamed ? {} : { cwd: folder }) }
  const child = spawn(process.execPath, [...source, 'gateway', ...named], options)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  putAwayLater(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const heard = hear(child)
  const lines = () => linesOf(heard.err)
  const listening = await until(() => {
    if (child.exitCode !== null) throw new Error(`It ended: ${heard.err}`)
    return lines().find(({ msg }) => msg === 'Listening.')
  }, 20_000)
  return {
    url: String(listening.url),
    folder,
    child,
    heard,
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

/** What was written so far, in whole lines. */
function linesOf(text: string): Line[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))
}

function hear(child: ChildProcess): { out: string; err: string } {
  const heard = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    heard.out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    heard.err += text
  })
  return heard
}

/** Nothing of whoever runs the tests, but for what a program needs to start. */
function plain(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }
}

export function aProcessOf(generation: '2025-11-25' | '2026-07-28'): string {
  const args = ['--conditions=assent-source', asking, generation].map((word) => JSON.stringify(word))
  return `{ command: ${JSON.stringify(process.execPath)}, args: [${args.join(', ')}] }`
}

/** For configurations that need one. */
export const aKey: string = Buffer.alloc(32, 3).toString('base64')

/** An empty database that goes with the test. */
export async function aDatabase(): Promise<{ name: string; url: string }> {
  const name = `assent_program_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client('postgres://root@127.0.0.1:5432/postgres')
  await admin.connect()
  await admin.query(`create database ${name}`)
  putAwayLater(async () => {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  return { name, url: `postgres://root@127.0.0.1:5432/${name}` }
}

export function aFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}

/** Whether a test that needs a program is left out, which is never so in CI: scripts/programs installs them there. */
export function mayBeMissing(program: string): boolean {
  return process.env.CI === undefined && spawnSync('which', [program]).status !== 0
}
