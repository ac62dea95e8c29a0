// The transport to a server in a child process: one message per line on its standard input and output.
//
// The process belongs to one connection. Its standard error is its log, not protocol.

import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync } from 'node:fs'
import { NotSent } from '../call/model.ts'
import { protocolLimits, serverLimits } from '../limits.ts'
import { Lines } from '../protocol/lines.ts'
import { errorCodes, errorReply, type Message } from '../protocol/messages.ts'
import { readServerMessages } from '../protocol/server-messages.ts'
import { idBetween, MessageTooLarge } from '../protocol/too-large.ts'
import type { BackOff } from './back-off.ts'
import { inherited } from './inherited-environment.ts'
import { LastLines } from './last-lines.ts'
import { endGroup, startGroup } from './process-group.ts'
import type { StdioServer } from './stdio-server.ts'
import { type Transport, TransportClosed, type TransportEvents } from './transport.ts'

const outputAfterExitMs = 200
const unreadable = 'A line of the output is too long, or not UTF-8.'

export class StdioTransport implements Transport {
  readonly #child: ChildProcessWithoutNullStreams
  #isOpen = true
  /** Whether the process ended without being closed by the gateway. */
  #hasEnded = false

  /** @param begin counts the process, and throws when the limit is reached */
  constructor(
    server: StdioServer,
    events: TransportEvents,
    onLog: (line: string) => void,
    backOff: BackOff,
    begin: () => () => void = () => () => undefined,
  ) {
    backOff.check()
    const uncount = begin()
    let hasResponded = false
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
      backOff.ended(hasResponded, reason)
      events.onClosed(reason, neverStarted)
    }
    this.#child.once('exit', uncount)
    this.#child.once('error', () => {
      if (this.#child.pid === undefined) uncount()
    })
    // Without a process id, no process was started.
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
      // Its last output may not have been read yet, and a child of the process may keep the output open.
      const timer = setTimeout(end, outputAfterExitMs)
      this.#child.once('close', () => {
        clearTimeout(timer)
        end()
      })
    })
    this.#child.stdin.on('error', () => {
      if (neverStarted()) closed('The server no longer reads.', true)
      // A process that ends closes its input first; wait for its exit, which gives a better reason.
      else setTimeout(() => closed(`The server no longer reads.${printed.text()}`), outputAfterExitMs).unref()
    })
    const print = (line: string | undefined) => {
      const text = line?.slice(0, protocolLimits.stderrLineChars) ?? unreadable
      printed.add(text)
      onLog(text)
    }
    const logged = new Lines()
    this.#child.stderr.on('data', (chunk: Buffer) => {
      for (const line of logged.push(chunk)) print(line)
    })
    const receive = (line: string | undefined) => {
      const messages = line === undefined ? [] : readServerMessages(line)
      // A line that is not a message is stray output of the server; it is logged like standard error.
      if (messages.length === 0) print(line)
      else hasResponded = true
      for (const message of messages) events.onMessage(message)
    }
    const lines = new Lines()
    let unended: NodeJS.Timeout | undefined
    const fail = () => {
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
        // Without an id, the request that it answers is unknown; and a line that never ends hides all later messages.
        if (tooLong.includes(undefined) || lines.bytesTooMany > serverLimits.skippedBytes) fail()
        clearTimeout(unended)
        if (lines.bytesTooMany > 0) unended = setTimeout(fail, serverLimits.skippedMs)
      })
      .on('end', () => {
        const rest = lines.rest()
        if (rest !== '') receive(rest)
      })
  }

  async send(message: Message): Promise<void> {
    if (!this.#isOpen) throw new TransportClosed()
    if (this.#child.stdin.writableLength > serverLimits.unreadBytes) throw new NotSent('The server does not read.')
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
