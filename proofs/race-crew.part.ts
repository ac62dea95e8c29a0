// The processes of a race, as the supervisor sees them: start, send a contest to all of them at once, stop.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Reply } from './race-attempt.part.ts'
import type { Address } from './race-place.part.ts'
import { workers } from './race-plan.part.ts'
import type { Heat, Opening, WorkerMessage } from './race-worker.part.ts'

type Resolve = (replies: readonly Reply[]) => void

export class Crew {
  readonly #processes: readonly ChildProcess[]
  readonly #waiting = new Map<string, Resolve>()
  readonly #lost = Promise.withResolvers<never>()
  #heats = 0

  private constructor(processes: readonly ChildProcess[]) {
    this.#processes = processes
    // Without this a process lost between two contests would end the supervisor before it could clean up.
    this.#lost.promise.catch(() => undefined)
    for (const [worker, child] of processes.entries()) {
      child.on('message', (message: WorkerMessage) => this.#hear(worker, message))
      child.on('exit', (code, signal) => this.#lost.reject(new Error(`A racing process ended with ${code ?? signal}.`)))
    }
  }

  static async start(address: Address): Promise<Crew> {
    const processes = Array.from({ length: workers }, (_, worker) => {
      const opening: Opening = { address, worker }
      // fork passes our own execArgv on, and with it the condition that finds the packages' sources.
      return fork(new URL('race-worker.part.ts', import.meta.url), [JSON.stringify(opening)])
    })
    const crew = new Crew(processes)
    const ready = processes.map((child) => once(child, 'message'))
    try {
      await Promise.race([Promise.all(ready), crew.#lost.promise])
    } catch (error) {
      await crew.stop()
      throw error
    }
    return crew
  }

  /** Deals the attempts to their processes and gathers what everyone was told. */
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

  #hear(worker: number, message: WorkerMessage): void {
    if (!('heat' in message)) return
    const key = `${worker} ${message.heat}`
    this.#waiting.get(key)?.(message.replies)
    this.#waiting.delete(key)
  }
}
