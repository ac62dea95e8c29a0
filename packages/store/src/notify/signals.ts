// Signals between processes that an ask has changed. They may be lost, and never decide anything.

import type { AskSignal } from './ask-signal.ts'

/** LISTEN/NOTIFY, a NATS server, the commit counter of a SQLite file, or only the slow poll. */
export type Transport = 'listen' | 'nats' | 'file' | 'poll'

export interface SignalCounts {
  received: number
  reconnects: number
}

/**
 * Called with a signal of another process, or without one if anything may have changed; with `lost` if signals may have been lost with a
 * connection. The database may then be another server.
 */
export type OnSignal = (signal?: AskSignal | 'lost') => void

export interface Signals {
  readonly transport: Transport
  /** Whether a signal names what changed. One without a name arrives at every commit, which is too often for long waits. */
  readonly isNamed: boolean
  /** To all other processes. Best effort; does not wait. */
  publish(signal: AskSignal): void
  /** From now on signals of this tenant are received. */
  follow(tenant: string): void
  start(onSignal: OnSignal): void
  stop(): void
  /** The database stopped answering: a connection to it may be dead without an error. */
  suspect?(): void
  /** Signals received, and connections that had to be opened again. */
  readonly counts: SignalCounts
  close(): Promise<void>
}
