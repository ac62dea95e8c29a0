// The grid's side of a client process: sends commands, collects reports, waits for reports.

import type { ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import type { Address } from '../test-kit/mcp/address.ts'
import type { Call, Command, ConnectionOptions, Generation, Outcome, Report, Shown } from './messages.ts'
import type { Processes } from './processes.ts'
import { waits } from './settings.ts'

type Reported<E extends Report['event']> = Extract<Report, { event: E }>

export class ClientProcess {
  readonly #child: ChildProcess
  readonly #reports: Report[] = []
  readonly #news = new EventEmitter().setMaxListeners(0)

  constructor(processes: Processes, generation: Generation) {
    this.#child = processes.start('client', [generation], {})
    this.#child.on('message', (report: Report) => {
      this.#reports.push(report)
      this.#news.emit('report')
    })
  }

  /** Resolves with the revision that was agreed on. */
  async connect(connection: string, to: Address, options: ConnectionOptions = {}): Promise<string> {
    this.#send({ do: 'connect', connection, to, options })
    const found = await this.#until(
      waits.startMs,
      () => this.#about('connected', connection) ?? this.#about('failed', connection),
    )
    if (found?.event === 'connected') return found.revision
    throw new Error(`cannot connect: ${found?.message ?? 'no answer'}`)
  }

  async disconnect(connection: string): Promise<void> {
    this.#send({ do: 'disconnect', connection })
    await this.#until(waits.startMs, () => this.#about('disconnected', connection))
  }

  call(call: Call): void {
    this.#send({ do: 'call', call })
  }

  release(callId: string): void {
    this.#send({ do: 'release', callId })
  }

  ended(callId: string, limitMs: number): Promise<Outcome | undefined> {
    return this.#until(limitMs, () => this.#all('ended').findLast((report) => report.callId === callId)?.outcome)
  }

  asked(callId: string, limitMs: number): Promise<Shown | undefined> {
    return this.#until(limitMs, () => this.shown(callId)[0])
  }

  completed(elicitationId: string, limitMs: number): Promise<Report | undefined> {
    return this.#until(limitMs, () => this.#all('completed').find((report) => report.elicitationId === elicitationId))
  }

  shown(callId: string): Shown[] {
    return this.#all('asked').flatMap(({ shown }) => (shown.callId === callId ? [shown] : []))
  }

  strayed(connection: string): string[] {
    return this.#all('strayed').flatMap((report) => (report.connection === connection ? [report.callId] : []))
  }

  /** As in a crash: without closing any connection. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  forget(callId: string): void {
    const at = this.#reports.findIndex((report) => report.event === 'ended' && report.callId === callId)
    if (at >= 0) this.#reports.splice(at, 1)
  }

  #send(command: Command): void {
    this.#child.send(command)
  }

  #all<E extends Report['event']>(event: E): Reported<E>[] {
    return this.#reports.filter((report): report is Reported<E> => report.event === event)
  }

  #about<E extends 'connected' | 'failed' | 'disconnected'>(event: E, connection: string): Reported<E> | undefined {
    return this.#all<E>(event).find((report) => 'connection' in report && report.connection === connection)
  }

  async #until<T>(limitMs: number, find: () => T | undefined): Promise<T | undefined> {
    const signal = AbortSignal.timeout(limitMs)
    for (;;) {
      const found = find()
      if (found !== undefined || signal.aborted) return found
      await once(this.#news, 'report', { signal }).catch(() => undefined)
    }
  }
}
