// Metrics of the store: latency, errors, connections, how notifications from other gateways arrive, and the audit log.

import type { Integrated, MeasuredStep, Store } from '@assent/store'
import { Counter, Gauge, Histogram, type Metric } from './prometheus.ts'

const delaySeconds = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30, 60]
const stepSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 30]

export class StoreMetrics {
  readonly #steps = new Histogram('assent_store_seconds', 'How long steps on the database took.', stepSeconds)
  readonly #errors = new Counter(
    'assent_store_errors_total',
    'Failed steps on the database, by reason: unavailable, or another error.',
  )
  readonly #entries = new Counter('assent_log_entries_total', 'Entries that this gateway added to the audit log.')
  readonly #delays = new Histogram(
    'assent_log_delay_seconds',
    'How long the oldest entry of a group had waited when it was added to the audit log.',
    delaySeconds,
  )
  #store: Pick<Store, 'pool' | 'notifications' | 'oldestTransactionMs'> | undefined

  constructor() {
    // Start at zero, or Prometheus would not see the first error as an increase.
    for (const operation of ['read', 'write', 'background']) {
      for (const reason of ['unavailable', 'failed']) this.#errors.add({ operation, reason }, 0)
    }
  }

  /** Called when the store is open. */
  lookAt(store: Pick<Store, 'pool' | 'notifications' | 'oldestTransactionMs'>): void {
    this.#store = store
  }

  step({ kind, ms, failure }: MeasuredStep): void {
    this.#steps.observe({ operation: kind }, ms / 1_000)
    if (failure !== undefined) this.#errors.add({ operation: kind, reason: failure })
  }

  integrated({ entries, delayMs }: Integrated): void {
    this.#entries.add({}, entries)
    this.#delays.observe({}, delayMs / 1_000)
  }

  metrics(): Metric[] {
    const ofLog = [this.#entries, this.#delays, ...this.#ofTransactions()]
    return [this.#steps, this.#errors, ...this.#ofPool(), ...this.#ofNotifications(), ...ofLog]
  }

  #ofTransactions(): Metric[] {
    const store = this.#store
    if (store === undefined) return []
    const help = 'Age of the oldest open database transaction that has written something.'
    return [new Gauge('assent_store_oldest_write_seconds', help, () => [[{}, store.oldestTransactionMs / 1_000]])]
  }

  #ofPool(): Metric[] {
    const pool = this.#store?.pool
    if (pool === undefined) return []
    return [
      new Gauge('assent_store_connections', 'Open connections to the database for statements.', () => [
        [{ state: 'busy' }, pool.open - pool.idle],
        [{ state: 'idle' }, pool.idle],
      ]),
      new Gauge('assent_store_connections_max', 'Maximum number of connections.', () => [[{}, pool.most]]),
      new Gauge('assent_store_waiting', 'Statements that wait for a connection.', () => [[{}, pool.waiting]]),
    ]
  }

  #ofNotifications(): Metric[] {
    const notifications = this.#store?.notifications
    if (notifications === undefined) return []
    const { transport, received, late, reconnects } = notifications
    const counter = (name: string, help: string, value: number) => {
      const metric = new Counter(name, help)
      metric.add({ transport }, value)
      return metric
    }
    return [
      counter('assent_notifications_total', 'Notifications of changes that arrived.', received),
      counter('assent_notifications_late_total', 'Ended asks that polling found before a notification arrived.', late),
      counter(
        'assent_notification_reconnects_total',
        'How often a connection for notifications was opened again.',
        reconnects,
      ),
    ]
  }
}
