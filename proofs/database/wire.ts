// A proxy in front of the database: one fixed address, whichever server is behind it, and connections that can be cut
// during a commit.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { type Commit, type CutMode, Line, type Unclear } from './line.ts'

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
  /** All commits with an unclear result, in the order of detection. */
  readonly unclear: Unclear[] = []
  /** The statements that committed something, and how often. */
  readonly commits: Map<string, number> = new Map()

  constructor() {
    this.#server = createServer((client) => {
      // Like a balancer without a backend.
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

  /** The target of new connections; undefined refuses them. */
  pointTo(port: number | undefined): void {
    this.#target = port
  }

  /** Closes all open connections, as a balancer does when its backend is removed. */
  breakAll(): void {
    for (const line of this.#lines) line.destroy()
  }

  /** Cuts the next such commit. Resolves with whether there was one within this time. */
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
