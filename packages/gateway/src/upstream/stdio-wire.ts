// A server that is a child process: one message per line, in on its standard input, out on its standard output.
//
// The process belongs to one connection. What it writes to standard error is its log, not protocol.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { upstreamLimits, wireLimits } from '../limits.ts'
import { NotSent } from '../relay/exchange.ts'
import { Lines } from '../wire/lines.ts'
import type { Message } from '../wire/messages.ts'
import { readServerMessage } from '../wire/server-messages.ts'
import type { BackOff } from './back-off.ts'
import type { Wire, WireEvents } from './wire.ts'

export interface StdioServer {
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

const killAfterMs = 2_000
const unreadable = 'A line that cannot be read.'

export class StdioWire implements Wire {
  readonly #child: ChildProcessWithoutNullStreams
  #isOpen = true

  constructor(server: StdioServer, events: WireEvents, onLog: (line: string) => void, backOff: BackOff) {
    backOff.check()
    let hasSpoken = false
    this.#child = spawn(server.command, server.args ?? [], {
      env: { ...inherited(), ...server.env },
      stdio: 'pipe',
      ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
    })
    const closed = (reason: string, neverStarted = false) => {
      if (!this.#isOpen) return
      this.#isOpen = false
      backOff.ended(hasSpoken)
      events.onClosed(reason, neverStarted)
    }
    // Without a process id nothing was started.
    const neverStarted = () => this.#child.pid === undefined
    this.#child.on('error', (error) => closed(`The server could not be started: ${error.message}`, neverStarted()))
    this.#child.on('exit', (code, signal) => closed(`The server ended (${signal ?? `code ${code}`}).`))
    this.#child.stdin.on('error', () => closed('The server no longer reads.', neverStarted()))
    const logged = new Lines()
    this.#child.stderr.on('data', (chunk: Buffer) => {
      for (const line of logged.push(chunk)) onLog(line?.slice(0, wireLimits.stderrLineChars) ?? unreadable)
    })
    const receive = (line: string | undefined) => {
      const message = line === undefined ? undefined : readServerMessage(line)
      if (message === undefined) {
        // A line that is no message is a server's stray print; it is passed over like one on standard error.
        onLog(line?.slice(0, wireLimits.stderrLineChars) ?? unreadable)
        return
      }
      hasSpoken = true
      events.onMessage(message)
    }
    const lines = new Lines()
    this.#child.stdout
      .on('data', (chunk: Buffer) => {
        for (const line of lines.push(chunk)) if (line !== '') receive(line)
        if (lines.isTooLong && this.#isOpen) {
          closed('The server sent a larger message than is allowed.')
          this.close()
        }
      })
      .on('end', () => {
        const rest = lines.rest()
        if (rest !== '') receive(rest)
      })
  }

  async send(message: Message): Promise<void> {
    if (!this.#isOpen) throw new NotSent('The server has ended.')
    if (this.#child.stdin.writableLength > upstreamLimits.unreadBytes) throw new NotSent('The server does not read.')
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
