// A server that is a child process: one message per line, in on its standard input, out on its standard output.
//
// The process belongs to one connection. What it writes to standard error is its log, not protocol.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { wireLimits } from '../limits.ts'
import { type Message, readMessage } from '../wire/messages.ts'
import type { BackOff } from './back-off.ts'
import type { Wire, WireEvents } from './wire.ts'

export interface StdioServer {
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const killAfterMs = 2_000

export class StdioWire implements Wire {
  readonly #child: ChildProcessWithoutNullStreams
  #isOpen = true

  constructor(server: StdioServer, events: WireEvents, onLog: (line: string) => void, backOff: BackOff) {
    backOff.check()
    let hasSpoken = false
    this.#child = spawn(server.command, server.args ?? [], { env: { ...inherited(), ...server.env }, stdio: 'pipe' })
    const closed = (reason: string) => {
      if (!this.#isOpen) return
      this.#isOpen = false
      backOff.ended(hasSpoken)
      events.onClosed(reason)
    }
    this.#child.on('error', (error) => closed(`The server could not be started: ${error.message}`))
    this.#child.on('exit', (code, signal) => closed(`The server ended (${signal ?? `code ${code}`}).`))
    this.#child.stdin.on('error', () => closed('The server no longer reads.'))
    createInterface({ input: this.#child.stderr }).on('line', (line) =>
      onLog(line.slice(0, wireLimits.stderrLineChars)),
    )
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      if (line.length > wireLimits.messageBytes) return closed('The server sent a larger message than is allowed.')
      const message = readMessage(line)
      // A line that is no message is a server's stray print; it is passed over like one on standard error.
      if (message === undefined) onLog(line.slice(0, wireLimits.stderrLineChars))
      else {
        hasSpoken = true
        events.onMessage(message)
      }
    })
  }

  async send(message: Message): Promise<void> {
    if (!this.#isOpen) throw new Error('The server has ended.')
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  close(): void {
    this.#isOpen = false
    this.#child.stdin.end()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), killAfterMs)
    this.#child.once('exit', () => clearTimeout(timer))
  }
}

/** A server gets what it needs to start, not the gateway's own secrets. */
function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'USER', 'SHELL', 'TERM']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}
