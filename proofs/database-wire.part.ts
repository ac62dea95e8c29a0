// The way to the database: one address that does not move, whichever server is behind it, and connections that break in the
// middle of a commit.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { type Commit, type CutMode, Line, type Unclear } from './database-line.part.ts'

interface Armed {
  readonly how: CutMode
  readonly isIt: (commit: Commit) => boolean
  done(isCut: boolean): void
}

export class DatabaseWire {
  readonly #server: Server
  readonly #lines = new Set<Line>()
  #target: number | undefined
  #armed: Armed | undefined
  /** All that became unclear, in the order in which we knew. */
  readonly unclear: Unclear[] = []
  /** The statements that were seen to commit something, and how often. */
  readonly commits: Map<string, number> = new Map()

  constructor() {
    this.#server = createServer((client) => {
      // As a balancer with nobody behind it.
      if (this.#target === undefined) return void client.destroy()
      const server = connect(this.#target, '127.0.0.1')
      const line = new Line(client, server, {
        chosen: (commit) => this.#chosen(commit),
        isUnclear: (unclear) => this.unclear.push(unclear),
      })
      this.#lines.add(line)
      server.once('close', () => this.#lines.delete(line))
    })
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  get url(): string {
    return `postgres://root@127.0.0.1:${(this.#server.address() as AddressInfo).port}/postgres`
  }

  /** Where new connections lead; nowhere when undefined. */
  pointTo(port: number | undefined): void {
    this.#target = port
  }

  /** Breaks what is still open, as a balancer does when the server behind it was taken away. */
  breakAll(): void {
    for (const line of this.#lines) line.destroy()
  }

  /** Cuts the next such commit. Resolves with whether one came within this time. */
  async cutNext(how: CutMode, isIt: (commit: Commit) => boolean, withinMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#armed = { how, isIt, done: resolve }
    const timer = setTimeout(resolve, withinMs, false)
    const isCut = await promise
    clearTimeout(timer)
    this.#armed = undefined
    return isCut
  }

  async close(): Promise<void> {
    this.#target = undefined
    this.breakAll()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #chosen(commit: Commit): CutMode | undefined {
    const { statement } = commit
    this.commits.set(statement, (this.commits.get(statement) ?? 0) + 1)
    const armed = this.#armed
    if (armed === undefined || !armed.isIt(commit)) return undefined
    this.#armed = undefined
    armed.done(true)
    return armed.how
  }
}
