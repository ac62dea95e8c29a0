// Metrics of the messages to approvers.

import { Counter, type Metric } from './prometheus.ts'

export class NotifyMetrics {
  readonly #messages = new Counter(
    'assent_messages_total',
    'Attempts to send a message to approvers, by channel and result: sent, failed (it is tried again) or abandoned.',
  )

  delivered(channel: string, result: 'sent' | 'failed' | 'abandoned'): void {
    this.#messages.add({ channel, result })
  }

  metrics(): Metric[] {
    return [this.#messages]
  }
}
