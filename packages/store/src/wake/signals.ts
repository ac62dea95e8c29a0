// How processes tell each other that an ask has ended. Hints only: they carry names, may be lost, and decide nothing.

export interface Signals {
  /** Whether a signal says what happened. One that does not is heard at every change, too often to be listened to for long. */
  readonly isNamed: boolean
  /** Best effort, without waiting. */
  publish(key: string): void
  /** From now on, call back with a key that was published, or with nothing when something unknown may have changed. */
  start(onSignal: (key?: string) => void): void
  stop(): void
  close(): Promise<void>
}
