// A server that is a child process: one message per line, in on its standard input, out on its standard output.
//
// The process belongs to one connection. What it writes to standard error is its log, not protocol.

import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync } from 'node:fs'
import { upstreamLimits, wireLimits } from '../limits.ts'
import { NotSent } from '../relay/exchange.ts'
import { Lines } from '../wire/lines.ts'
import { errorCodes, errorReply, type Message } from '../wire/messages.ts'
import { readServerMessages } from '../wire/server-messages.ts'
import { idBetween, MessageTooLarge } from '../wire/too-large.ts'
import type { BackOff } from './back-off.ts'
import { inherited } from './inherited-environment.ts'
import { LastLines } from './last-lines.ts'
import { endGroup, startGroup } from './process-group.ts'
import { type Wire, WireEnded, type WireEvents } from './wire.ts'

export interface StdioServer {
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

const outputAfterExitMs = 200
const unreadable = 'A line that cannot be read.'

export class StdioWire implements Wire {
  readonly #child: ChildProcessWithoutNullStreams
  #isOpen = true
  /** By itself, and not because it was closed. */
  #hasEnded = false

  /** @param begin counts the process, and throws where there is no room for it */
  constructor(
    server: StdioServer,
    events: WireEvents,
    onLog: (line: string) => void,
    backOff: BackOff,
    begin: () => () => void = () => () => undefined,
  ) {
    backOff.check()
    const over = begin()
    let hasSpoken = false
    let isClosed = false
    const printed = new LastLines(server)
    this.#child = startGroup(server.command, server.args ?? [], {
      env: { ...inherited(), ...server.env },
      ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
    })
    const closed = (reason: string, neverStarted = false) => {
      const isExpected = !this.#isOpen && !this.#hasEnded
      this.#isOpen = false
      if (isClosed || isExpected) return
      isClosed = true
      backOff.ended(hasSpoken, reason)
      events.onClosed(reason, neverStarted)
    }
    this.#child.once('exit', over)
    this.#child.once('error', () => {
      if (this.#child.pid === undefined) over()
    })
    // Without a process id nothing was started.
    const neverStarted = () => this.#child.pid === undefined
    this.#child.on('error', (error) => closed(whyNotStarted(server, error), neverStarted()))
    this.#child.on('exit', (code, signal) => {
      if (!this.#isOpen) return
      this.#isOpen = false
      this.#hasEnded = true
      const end = () =>
        closed(
          `The server ended with ${signal === null ? `exit code ${code}` : `the signal ${signal}`}.${printed.text()}`,
        )
      // What it printed last may still be on its way, and a process that it started may keep its output open.
      const timer = setTimeout(end, outputAfterExitMs)
      this.#child.once('close', () => {
        clearTimeout(timer)
        end()
      })
    })
    this.#child.stdin.on('error', () => {
      if (neverStarted()) closed('The server no longer reads.', true)
      // A process that ends closes its input first, and its exit says more.
      else setTimeout(() => closed(`The server no longer reads.${printed.text()}`), outputAfterExitMs).unref()
    })
    const print = (line: string | undefined) => {
      const text = line?.slice(0, wireLimits.stderrLineChars) ?? unreadable
      printed.add(text)
      onLog(text)
    }
    const logged = new Lines()
    this.#child.stderr.on('data', (chunk: Buffer) => {
      for (const line of logged.push(chunk)) print(line)
    })
    const receive = (line: string | undefined) => {
      const messages = line === undefined ? [] : readServerMessages(line)
      // A line that is no message is a server's stray print; it is passed over like one on standard error.
      if (messages.length === 0) print(line)
      else hasSpoken = true
      for (const message of messages) events.onMessage(message)
    }
    const lines = new Lines()
    let unended: NodeJS.Timeout | undefined
    const giveUp = () => {
      if (!this.#isOpen) return
      closed(new MessageTooLarge().message)
      this.close()
    }
    this.#child.stdout
      .on('data', (chunk: Buffer) => {
        for (const line of lines.push(chunk)) if (line !== '') receive(line)
        const tooLong = lines.takeTooLong().map(idBetween)
        for (const id of tooLong) {
          if (id !== undefined) events.onMessage(errorReply(id, errorCodes.refused, new MessageTooLarge().message))
        }
        // Without an id it is unknown whose answer it was, and one that does not end hides all that follow.
        if (tooLong.includes(undefined) || lines.bytesTooMany > upstreamLimits.skippedBytes) giveUp()
        clearTimeout(unended)
        if (lines.bytesTooMany > 0) unended = setTimeout(giveUp, upstreamLimits.skippedMs)
      })
      .on('end', () => {
        const rest = lines.rest()
        if (rest !== '') receive(rest)
      })
  }

  async send(message: Message): Promise<void> {
    if (!this.#isOpen) throw new WireEnded()
    if (this.#child.stdin.writableLength > upstreamLimits.unreadBytes) throw new NotSent('The server does not read.')
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  close(): void {
    this.#isOpen = false
    endGroup(this.#child)
  }
}

function whyNotStarted({ command, cwd }: StdioServer, error: NodeJS.ErrnoException): string {
  if (cwd !== undefined && !existsSync(cwd)) return `The server could not be started: there is no folder ${cwd}.`
  if (error.code === 'ENOENT') return `The server could not be started: the program ${command} was not found.`
  if (error.code === 'EACCES') return `The server could not be started: ${command} may not be executed.`
  return `The server could not be started: ${error.message}`
}
