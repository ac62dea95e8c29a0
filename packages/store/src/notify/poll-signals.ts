// The implementation without signals: processes find each other's changes with the slow poll.

import type { Signals } from './signals.ts'

export class PollSignals implements Signals {
  readonly transport = 'poll'
  readonly isNamed = true
  readonly counts = { received: 0, reconnects: 0 }

  publish(): void {
    // Other processes find the change with their next poll.
  }

  follow(): void {
    // Nothing to receive.
  }

  start(): void {
    // Nothing to listen on.
  }

  stop(): void {
    // Nothing to stop.
  }

  async close(): Promise<void> {
    // Nothing to close.
  }
}
