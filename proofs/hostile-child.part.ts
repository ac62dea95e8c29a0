// The gateway of the hostile proof as its parent sees it: a process that must stay alive, quick and small.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Report } from './hostile-gateway.part.ts'
import { type Score, stallMs } from './hostile-watch.part.ts'

export class GatewayProcess {
  readonly child: ChildProcess
  url = ''
  mostBytes = 0
  stoodMs = 0
  ownMs = 0
  troubles = 0
  #recent = { ownMs: 0, stoodMs: 0 }
  #isWanted = true
  readonly #score: Score
  readonly #ready = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<void>()

  constructor(mode: 'http' | 'stdio', servers: object, score: Score) {
    this.#score = score
    const program = new URL('hostile-gateway.part.ts', import.meta.url).pathname
    this.child = spawn(process.execPath, ['--conditions=assent-source', program, mode, JSON.stringify(servers)], {
      stdio: [mode === 'stdio' ? 'pipe' : 'ignore', mode === 'stdio' ? 'pipe' : 'inherit', 'inherit', 'ipc'],
    })
    this.child.on('message', (report: Report) => this.#hear(report))
    this.child.on('exit', (code, signal) => {
      this.#ended.resolve()
      if (this.#isWanted) score.crash('the gateway process', `code ${code}, signal ${signal}`, '')
    })
  }

  ready(): Promise<void> {
    return this.#ready.promise
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  async stop(): Promise<void> {
    this.#isWanted = false
    if (!this.isAlive) return
    const gone = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.kill('SIGKILL')
    await gone
  }

  /**
   * Runs something against this gateway and sees how long its event loop stood still over it. What looks like a stall is
   * done again: one that does not come back was the machine's, or a collection of garbage.
   */
  async judge(attack: () => Promise<void>): Promise<void> {
    let least = Number.POSITIVE_INFINITY
    for (let time = 0; time < 3 && least > stallMs / 2 && this.isAlive; time++) {
      await this.#look()
      await attack()
      const { ownMs, stoodMs } = await this.#look()
      least = Math.min(least, ownMs)
      this.stoodMs = Math.max(this.stoodMs, stoodMs)
    }
    if (Number.isFinite(least)) this.ownMs = Math.max(this.ownMs, least)
  }

  /** Since it was last looked at. */
  async #look(): Promise<{ readonly ownMs: number; readonly stoodMs: number }> {
    if (!this.isAlive) return { ownMs: 0, stoodMs: 0 }
    const answered = new Promise((resolve) => this.child.once('message', resolve))
    this.child.send('look', () => undefined)
    await Promise.race([answered, this.#ended.promise])
    const seen = this.#recent
    this.#recent = { ownMs: 0, stoodMs: 0 }
    return seen
  }

  #hear({ url, bytes, stoodMs, ownMs, troubles }: Report): void {
    if (url !== undefined) this.url = url
    this.mostBytes = Math.max(this.mostBytes, bytes)
    this.#recent = {
      ownMs: Math.max(this.#recent.ownMs, ownMs),
      stoodMs: Math.max(this.#recent.stoodMs, stoodMs),
    }
    this.troubles += troubles.length
    const strange = troubles.filter((one) => !one.includes('The directory is away'))
    for (const one of strange) this.#score.mistake('the gateway had trouble', one)
    this.#ready.resolve()
  }
}
