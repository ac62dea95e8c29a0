// The supervisor's side of the racing processes: starts them, sends a contest to all at once, stops them.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Reply } from './attempt.ts'
import { workers } from './plan.ts'
import type { Address } from './test-db.ts'
import type { Heat, Opening, WorkerMessage } from './worker.ts'

type Resolve = (replies: readonly Reply[]) => void

export class WorkerPool {
  readonly #processes: readonly ChildProcess[]
  readonly #waiting = new Map<string, Resolve>()
  readonly #lost = Promise.withResolvers<never>()
  #heats = 0

  private constructor(processes: readonly ChildProcess[]) {
    this.#processes = processes
    // Without this a process that ends between two contests would end the supervisor before its cleanup.
    this.#lost.promise.catch(() => undefined)
    for (const [worker, child] of processes.entries()) {
      child.on('message', (message: WorkerMessage) => this.#receive(worker, message))
      child.on('exit', (code, signal) => this.#lost.reject(new Error(`A racing process ended with ${code ?? signal}.`)))
    }
  }

  static async start(address: Address): Promise<WorkerPool> {
    const processes = Array.from({ length: workers }, (_, worker) => {
      const opening: Opening = { address, worker }
      // fork passes on our execArgv, which includes the condition that resolves packages to their sources.
      return fork(new URL('worker.ts', import.meta.url), [JSON.stringify(opening)])
    })
    const pool = new WorkerPool(processes)
    const ready = processes.map((child) => once(child, 'message'))
    try {
      await Promise.race([Promise.all(ready), pool.#lost.promise])
    } catch (error) {
      await pool.stop()
      throw error
    }
    return pool
  }

  /** Sends the attempts to their processes and collects the replies. */
  async race({ attempts, ...contest }: Omit<Heat, 'heat'>): Promise<Reply[]> {
    const heat = ++this.#heats
    const parts = this.#processes.map(async (child, worker) => {
      const own = attempts.filter((attempt) => attempt.worker === worker)
      if (own.length === 0) return []
      const { promise, resolve } = Promise.withResolvers<readonly Reply[]>()
      this.#waiting.set(`${worker} ${heat}`, resolve)
      child.send({ ...contest, heat, attempts: own } satisfies Heat)
      return promise
    })
    return (await Promise.race([Promise.all(parts), this.#lost.promise])).flat()
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#processes.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const gone = once(child, 'exit')
        child.disconnect()
        await gone
      }),
    )
  }

  #receive(worker: number, message: WorkerMessage): void {
    if (!('heat' in message)) return
    const key = `${worker} ${message.heat}`
    this.#waiting.get(key)?.(message.replies)
    this.#waiting.delete(key)
  }
}
