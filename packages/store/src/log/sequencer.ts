// Adds committed audit entries to the logs of some tenants while a process runs.
//
// Every replica runs one. The process that extended a log last has a lease on it, so that the others do not do the same work; if
// it ends, another one continues after the lease. Two at once would do no harm: see AuditLog.

import { storeLimits } from '../limits.ts'
import type { AuditLog } from './audit-log.ts'

export interface SequencerOptions {
  readonly tenants: readonly string[]
  readonly onError: (error: unknown) => void
}

export class Sequencer {
  readonly #log: AuditLog
  readonly #options: SequencerOptions
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #isStopped = false
  /** By tenant: the size of the log when this process extended it last, and until when it checks often. */
  readonly #busyUntil = new Map<string, { readonly size: number; readonly ms: number }>()

  constructor(log: AuditLog, options: SequencerOptions) {
    this.#log = log
    this.#options = options
    this.#schedule()
  }

  /** Adds what is left, and stops. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running
    for (const tenant of this.#options.tenants) await this.#integrate(tenant)
  }

  #schedule(): void {
    if (this.#isStopped) return
    const isBusy = [...this.#busyUntil.values()].some(({ ms }) => performance.now() < ms)
    const pauseMs = isBusy ? storeLimits.sequencerBusyMs : storeLimits.sequencerIdleMs
    this.#timer = setTimeout(() => {
      this.#running = this.#turn().finally(() => this.#schedule())
    }, pauseMs)
    this.#timer.unref()
  }

  async #turn(): Promise<void> {
    for (const tenant of this.#options.tenants) await this.#integrate(tenant)
  }

  async #integrate(tenant: string): Promise<void> {
    try {
      const head = await this.#log.integrateInTurn(tenant)
      if (head === undefined || this.#busyUntil.get(tenant)?.size === head.size) return
      const ms = performance.now() + storeLimits.sequencerLeaseMs + storeLimits.sequencerBusyMs
      this.#busyUntil.set(tenant, { size: head.size, ms })
    } catch (error) {
      this.#options.onError(error)
    }
  }
}
