// Asks that this process settled a moment ago, so that the requests that wait for them here do not read them again.
//
// A settled ask never changes, except that an answer that looks like a secret is deleted, and that the answer may turn out to be
// undelivered. Asks with such an answer are not kept, and an undelivered one is forgotten.

import type { Ask } from '@assent/core'
import { storeLimits } from '../limits.ts'

export class SettledAsks {
  readonly #asks = new Map<string, { readonly ask: Ask; readonly timer: NodeJS.Timeout }>()

  /** To be called after the commit, and before anything is notified. */
  add(ask: Ask): void {
    if (ask.state.kind !== 'settled' || ask.state.isSecret === true) return
    if (this.#asks.size >= storeLimits.settledAsks) return
    this.forget(ask.tenant, ask.id)
    const timer = setTimeout(() => this.forget(ask.tenant, ask.id), storeLimits.settledAskMs).unref()
    this.#asks.set(keyOf(ask.tenant, ask.id), { ask, timer })
  }

  find(tenant: string, id: string): Ask | undefined {
    return this.#asks.get(keyOf(tenant, id))?.ask
  }

  forget(tenant: string, id: string): void {
    const key = keyOf(tenant, id)
    clearTimeout(this.#asks.get(key)?.timer)
    this.#asks.delete(key)
  }

  close(): void {
    for (const { timer } of this.#asks.values()) clearTimeout(timer)
    this.#asks.clear()
  }
}

function keyOf(tenant: string, id: string): string {
  return `${tenant} ${id}`
}
