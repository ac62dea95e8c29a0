// Preloaded processes that wait to become replicas.

import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Preloaded, so that a killed replica is replaced as fast as by a real supervisor. */
const spares = 3

export class Spares {
  readonly #waiting: ChildProcess[] = []
  readonly #onStderr: (text: string) => void
  /** A compile cache that all processes share. */
  readonly #compiled = mkdtempSync(join(tmpdir(), 'assent-cluster-'))

  /** @param onStderr called with the standard error of the processes */
  constructor(onStderr: (text: string) => void) {
    this.#onStderr = onStderr
  }

  start(): void {
    for (let spare = 0; spare < spares; spare++) this.#waiting.push(this.#spawn())
  }

  take(): ChildProcess {
    const child = this.#waiting.shift() ?? this.#spawn()
    setPriority(child.pid ?? 0, constants.priority.PRIORITY_NORMAL)
    this.#waiting.push(this.#spawn())
    return child
  }

  /** Ends the waiting processes and those in use. */
  async stop(taken: readonly ChildProcess[]): Promise<void> {
    await Promise.all(
      [...taken, ...this.#waiting].map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const gone = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGKILL')
        await gone
      }),
    )
    rmSync(this.#compiled, { recursive: true })
  }

  #spawn(): ChildProcess {
    // fork passes on our execArgv, which includes the condition that resolves packages to their sources.
    const child = fork(new URL('replica.ts', import.meta.url), [], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE: this.#compiled },
    })
    // Low priority, so that preloading takes no processor time from the serving replicas.
    setPriority(child.pid ?? 0, constants.priority.PRIORITY_BELOW_NORMAL)
    child.stderr?.on('data', (bytes: Buffer) => this.#onStderr(bytes.toString()))
    return child
  }
}
