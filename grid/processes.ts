// Starts and ends the processes of a run. Their output goes to log files, one per process.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { waits } from './settings.ts'

export type Program =
  | 'client'
  | 'gateway'
  | 'server-2025-11-25'
  | 'server-2026-07-28'
  | 'imperfect/stdio-server'
  | 'imperfect/http-server'
  | 'exchanges/server-2025-11-25'
  | 'exchanges/server-2026-07-28'

function programPath(program: Program): string {
  return fileURLToPath(new URL(`./${program}.ts`, import.meta.url))
}

/** How to start a program that talks over its own stdin and stdout. */
export function commandOf(program: Program, env: Readonly<Record<string, string>>, directory: string) {
  const args = [...process.execArgv, programPath(program)]
  return { command: process.execPath, args, env: { ...env, ...compiledIn(directory) } }
}

/** A shared compile cache: hundreds of processes run the same few programs. */
function compiledIn(directory: string): Record<string, string> {
  return { NODE_COMPILE_CACHE: join(directory, 'compiled') }
}

export class Processes {
  readonly directory: string
  readonly #running = new Set<ChildProcess>()
  #started = 0

  constructor(directory: string) {
    this.directory = directory
  }

  start(program: Program, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
    this.#started += 1
    const log = openSync(join(this.directory, `${this.#started}-${program.replaceAll('/', '-')}.log`), 'a')
    const child = fork(programPath(program), args, {
      env: { ...process.env, ...env, ...compiledIn(this.directory) },
      stdio: ['ignore', log, log, 'ipc'],
    })
    this.#running.add(child)
    child.once('exit', () => this.#running.delete(child))
    return child
  }

  /** Starts a program that serves HTTP and resolves with its address. */
  async serve(program: Program, env: Readonly<Record<string, string>>): Promise<{ child: ChildProcess; url: string }> {
    const child = this.start(program, [], env)
    const signal = AbortSignal.timeout(waits.startMs)
    const exited = once(child, 'exit', { signal }).then(() => {
      throw new Error(`${program} ended while it was starting; see ${this.directory}`)
    })
    const [{ url }] = (await Promise.race([once(child, 'message', { signal }), exited])) as [{ url: string }]
    exited.catch(() => undefined)
    return { child, url }
  }

  async end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.end(child)))
  }
}
