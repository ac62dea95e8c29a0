// How processes tell each other that an ask has ended. Hints only: they carry names, may be lost, and decide nothing.

/** LISTEN/NOTIFY, a NATS server, the number of commits in a SQLite file, or nothing but the slow poll. */
export type Transport = 'listen' | 'nats' | 'file' | 'poll'

export interface SignalCounts {
  received: number
  reconnects: number
}

export interface Signals {
  readonly transport: Transport
  /** Whether a signal says what happened. One that does not is heard at every change, too often to be listened to for long. */
  readonly isNamed: boolean
  /** Best effort, without waiting. */
  publish(key: string): void
  /** From now on, call back with a key that was published, or with nothing when something unknown may have changed. */
  start(onSignal: (key?: string) => void): void
  stop(): void
  /** The database has fallen silent: a connection to it may be dead without having noticed. */
  doubt?(): void
  /** Messages that arrived, and connections that had to be made again. */
  readonly counts: SignalCounts
  close(): Promise<void>
}
