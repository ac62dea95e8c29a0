// Asks that this process raised a moment ago and is about to wait for.
//
// The waiter of such an ask was opened before the ask could be answered. While it is not notified, the ask is open, and the wait
// begins without a read.

import type { Ask } from '@assent/core'
import { storeLimits } from '../limits.ts'
import type { Notifier } from '../notify/notifier.ts'
import type { Waiter } from '../notify/waiters.ts'

export interface RaisedAsk {
  readonly ask: Ask
  readonly waiter: Waiter
}

export class RaisedAsks {
  readonly #notifier: Notifier
  readonly #asks = new Map<string, RaisedAsk & { readonly timer: NodeJS.Timeout }>()

  constructor(notifier: Notifier) {
    this.#notifier = notifier
  }

  /** Raises an ask with a waiter that `take` returns. */
  async raise(tenant: string, id: string, raise: () => Promise<{ ask: Ask; isNew: boolean }>): Promise<Ask> {
    const waiter = this.#notifier.waiterFor(tenant, id)
    let isKept = false
    try {
      const { ask, isNew } = await raise()
      isKept = isNew && this.#asks.size < storeLimits.raisedAsks
      if (isKept) {
        const timer = setTimeout(() => this.take(tenant, id)?.waiter.close(), storeLimits.raisedAskMs).unref()
        this.#asks.set(keyOf(tenant, id), { ask, waiter, timer })
      }
      return ask
    } finally {
      if (!isKept) waiter.close()
    }
  }

  /** Once. The caller closes the waiter. */
  take(tenant: string, id: string): RaisedAsk | undefined {
    const key = keyOf(tenant, id)
    const raised = this.#asks.get(key)
    clearTimeout(raised?.timer)
    this.#asks.delete(key)
    return raised
  }

  close(): void {
    for (const { timer, waiter } of this.#asks.values()) {
      clearTimeout(timer)
      waiter.close()
    }
    this.#asks.clear()
  }
}

function keyOf(tenant: string, id: string): string {
  return `${tenant} ${id}`
}
