// The parent's side of the gateway process under attack, which must stay alive, fast and small.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Report } from './gateway.ts'
import { type Score, stallMs } from './watch.ts'

export class GatewayProcess {
  readonly child: ChildProcess
  url = ''
  mostBytes = 0
  stoodMs = 0
  ownMs = 0
  errors = 0
  #recent = { ownMs: 0, stoodMs: 0 }
  #isExpectedToRun = true
  readonly #score: Score
  readonly #ready = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<void>()

  constructor(mode: 'http' | 'stdio', servers: object, score: Score) {
    this.#score = score
    const program = new URL('gateway.ts', import.meta.url).pathname
    this.child = spawn(process.execPath, ['--conditions=assent-source', program, mode, JSON.stringify(servers)], {
      stdio: [mode === 'stdio' ? 'pipe' : 'ignore', mode === 'stdio' ? 'pipe' : 'inherit', 'inherit', 'ipc'],
    })
    this.child.on('message', (report: Report) => this.#receive(report))
    this.child.on('exit', (code, signal) => {
      this.#ended.resolve()
      if (this.#isExpectedToRun) score.crash('the gateway process', `code ${code}, signal ${signal}`, '')
    })
  }

  ready(): Promise<void> {
    return this.#ready.promise
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  async stop(): Promise<void> {
    this.#isExpectedToRun = false
    if (!this.isAlive) return
    const gone = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.kill('SIGKILL')
    await gone
  }

  /**
   * Runs something against this gateway and measures how long its event loop was blocked. A stall is repeated: if it does
   * not occur again it was caused by the machine or by garbage collection.
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

  /** The longest stall since the last call of this function. */
  async #look(): Promise<{ readonly ownMs: number; readonly stoodMs: number }> {
    if (!this.isAlive) return { ownMs: 0, stoodMs: 0 }
    const answered = new Promise((resolve) => this.child.once('message', resolve))
    this.child.send('look', () => undefined)
    await Promise.race([answered, this.#ended.promise])
    const seen = this.#recent
    this.#recent = { ownMs: 0, stoodMs: 0 }
    return seen
  }

  #receive({ url, bytes, stoodMs, ownMs, errors }: Report): void {
    if (url !== undefined) this.url = url
    this.mostBytes = Math.max(this.mostBytes, bytes)
    this.#recent = {
      ownMs: Math.max(this.#recent.ownMs, ownMs),
      stoodMs: Math.max(this.#recent.stoodMs, stoodMs),
    }
    this.errors += errors.length
    const strange = errors.filter((one) => !one.includes('The directory is unavailable'))
    for (const one of strange) this.#score.mistake('the gateway reported an error', one)
    this.#ready.resolve()
  }
}
