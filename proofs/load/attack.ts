// The parent's side of attackers.ts: starts, counts and ends the attackers.

import { fork } from 'node:child_process'
import type { Standing } from './attackers.ts'

export class Attackers {
  readonly #child: ReturnType<typeof fork>
  readonly #slow: number
  readonly #idle: number
  #standing: Standing = { slow: 0, idle: 0, closed: 0 }

  private constructor(url: string, slow: number, idle: number) {
    this.#slow = slow
    this.#idle = idle
    this.#child = fork(new URL('attackers.ts', import.meta.url), [url, String(slow), String(idle)])
    this.#child.on('message', (standing: Standing) => {
      this.#standing = standing
    })
  }

  static async start(url: string, slow: number, idle: number): Promise<Attackers> {
    const attackers = new Attackers(url, slow, idle)
    await attackers.isComplete()
    return attackers
  }

  /** Closed connections are being reopened, so it waits for them. */
  async isComplete(): Promise<boolean> {
    const until = Date.now() + 60_000
    while (!this.#hasNearlyAll && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50))
    return this.#hasNearlyAll
  }

  /** Except for the few that are being reopened. */
  get #hasNearlyAll(): boolean {
    return this.#standing.slow >= this.#slow * 0.95 && this.#standing.idle >= this.#idle * 0.95
  }

  get summary(): string {
    const { slow, idle, closed } = this.#standing
    return `${slow} slow connections, ${idle} idle streams, ${closed} closed and opened again`
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await gone
  }
}
