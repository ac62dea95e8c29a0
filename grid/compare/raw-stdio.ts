// A hand-written stdio client, for messages that no SDK allows.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Address } from '../../test-kit/mcp/address.ts'

type Wire = Record<string, unknown>

const patienceMs = 60_000

export class RawStdio {
  readonly #child
  readonly #received: Wire[] = []
  #changed = Promise.withResolvers<void>()

  constructor(to: Address) {
    if (!('command' in to)) throw new Error('This client needs a command.')
    this.#child = spawn(to.command, [...to.args], {
      env: { PATH: process.env.PATH ?? '', ...to.env },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.#received.push(JSON.parse(line))
      this.#changed.resolve()
      this.#changed = Promise.withResolvers()
    })
  }

  /** Raw text, which may be malformed. */
  write(text: string): void {
    this.#child.stdin.write(text)
  }

  send(message: Wire): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  /** Waits for the reply to this id. */
  async reply(id: string | number | null): Promise<Wire | undefined> {
    const late = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), patienceMs).unref())
    for (;;) {
      const at = this.#received.findIndex((message) => message.method === undefined && message.id === id)
      if (at >= 0) return this.#received.splice(at, 1)[0]
      if ((await Promise.race([this.#changed.promise, late])) === 'late') return undefined
    }
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.stdin.end()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 3_000)
    await exited
    clearTimeout(timer)
  }
}
