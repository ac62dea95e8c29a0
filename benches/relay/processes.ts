// Starts and ends the processes of the relay's bench. Their output goes to one log file.

import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const startMs = 120_000
const answerMs = 120_000
/** How much of the log is shown when a run fails. */
const lastOutputChars = 4_000

const programs = {
  clusterLoad: new URL('../cluster/load.ts', import.meta.url),
  clusterReplica: new URL('../cluster/replica.ts', import.meta.url),
  gateway: new URL('./gateway.ts', import.meta.url),
  proxy: new URL('./proxy.ts', import.meta.url),
  server: new URL('./server.ts', import.meta.url),
  watchers: new URL('../streams/watchers.ts', import.meta.url),
}

/** The command with which others start one of our programs. */
export function commandOf(program: keyof typeof programs, args: readonly string[]): [string, ...string[]] {
  return [process.execPath, ...process.execArgv, fileURLToPath(programs[program]), ...args]
}

export interface Served {
  readonly url: string
  readonly pid: number
  /** Sends a command and resolves with its reply; one at a time. */
  ask<T>(command: string | object, withinMs?: number): Promise<T>
  end(): Promise<void>
}

export class Processes {
  readonly folder: string
  readonly #log: number
  readonly #running = new Set<ChildProcess>()

  private constructor(folder: string) {
    this.folder = folder
    this.#log = openSync(join(folder, 'output.log'), 'a')
  }

  static async within<T>(work: (processes: Processes) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(tmpdir(), 'assent-relay-bench-'))
    const processes = new Processes(folder)
    try {
      return await work(processes)
    } catch (error) {
      const output = await readFile(join(folder, 'output.log'), 'utf8')
      console.error(output.slice(-lastOutputChars))
      throw error
    } finally {
      await Promise.all([...processes.#running].map(endOf))
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** Starts one of our programs; resolves when it serves. */
  serve(program: keyof typeof programs, args: readonly string[], nodeOptions: readonly string[] = []): Promise<Served> {
    return this.serveFile(fileURLToPath(programs[program]), args, nodeOptions)
  }

  /** Starts a program that reports its address as ours do, such as the gateway program of another checkout. */
  async serveFile(file: string, args: readonly string[], nodeOptions: readonly string[] = []): Promise<Served> {
    const child = fork(file, args, {
      execArgv: [...process.execArgv, '--expose-gc', ...nodeOptions],
      stdio: ['ignore', this.#log, this.#log, 'ipc'],
    })
    this.#track(child)
    const { url } = await next<{ url: string }>(child, startMs)
    return {
      url,
      pid: child.pid ?? 0,
      ask: <T>(command: string | object, withinMs = answerMs) => {
        const answered = next<T>(child, withinMs)
        child.send(command)
        return answered
      },
      end: () => endOf(child),
    }
  }

  /** Starts a program that ends with its standard input; its output goes to the caller or to the log. */
  spawn(args: readonly string[], output: 'read' | 'log', env: NodeJS.ProcessEnv = {}): ChildProcess {
    const stdout = output === 'read' ? 'pipe' : this.#log
    const child = spawn(process.execPath, args, { stdio: ['pipe', stdout, this.#log], env: { ...process.env, ...env } })
    this.#track(child)
    return child
  }

  #track(child: ChildProcess): void {
    this.#running.add(child)
    child.once('exit', () => this.#running.delete(child))
  }
}

async function next<T>(child: ChildProcess, withinMs: number): Promise<T> {
  const settled = new AbortController()
  const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(withinMs)])
  const exited = once(child, 'exit', { signal }).then(() => {
    throw new Error('A process of the bench ended unexpectedly.')
  })
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), exited])
    return message as T
  } finally {
    exited.catch(() => undefined)
    settled.abort()
  }
}

export async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
