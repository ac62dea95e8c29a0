// Processes that are loaded and wait to become replicas.

import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Kept loaded, so that a killed replica is back as soon as a real supervisor would have it back. */
const spares = 3

export class Spares {
  readonly #waiting: ChildProcess[] = []
  readonly #onSaid: (text: string) => void
  /** What one process has compiled, the next need not. */
  readonly #compiled = mkdtempSync(join(tmpdir(), 'assent-fleet-'))

  /** @param onSaid told what any of them writes to its standard error */
  constructor(onSaid: (text: string) => void) {
    this.#onSaid = onSaid
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

  /** Ends those that wait, and those that were taken. */
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
    // fork passes our own execArgv on, and with it the condition that finds the packages' sources.
    const child = fork(new URL('fleet-replica.part.ts', import.meta.url), [], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE: this.#compiled },
    })
    // Getting ready must not take from those who serve what a machine of its own would not.
    setPriority(child.pid ?? 0, constants.priority.PRIORITY_BELOW_NORMAL)
    child.stderr?.on('data', (bytes: Buffer) => this.#onSaid(bytes.toString()))
    return child
  }
}
