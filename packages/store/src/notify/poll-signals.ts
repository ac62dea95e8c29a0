// The implementation without signals: processes find each other's changes with the slow poll.

import type { OnSignal, Signals } from './signals.ts'

export class PollSignals implements Signals {
  readonly transport = 'poll'
  readonly isNamed = true
  readonly counts = { received: 0, reconnects: 0 }
  #onSignal: OnSignal | undefined

  publish(): void {
    // Other processes find the change with their next poll.
  }

  follow(): void {
    // Nothing to receive.
  }

  start(onSignal: OnSignal): void {
    this.#onSignal = onSignal
  }

  stop(): void {
    this.#onSignal = undefined
  }

  suspect(): void {
    this.#onSignal?.('lost')
  }

  async close(): Promise<void> {
    // Nothing to close.
  }
}
