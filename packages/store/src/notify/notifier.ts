// Wakes the waiters for an ask, whichever process changed it.
//
// Owns: this process's waiters, the slow poll and its position in each tenant's audit log, and when both run.
// I1  Each of three events notifies a waiter for an ask: this process ended the ask; another process sent a signal; the slow
//     poll found its end. So losing every signal only causes a delay.
// I2  The poll follows the commit order of the audit log. A tenant's position is read before the asks that are waited for are
//     checked once, and every later waiter reads its ask itself: no end lies between.
// I3  A waiter for a tenant, or for the approvers of one, is also notified at every poll.
// I4  A signal names whom a change concerns, so that other waiters are not notified of it.

import { readHead } from '../audit/read-head.ts'
import type { Engine } from '../engine/engine.ts'
import { type AskSignal, approverDigest, signalOf } from './ask-signal.ts'
import { endsPage, findEnded, readEnds } from './read-ends.ts'
import type { Signals } from './signals.ts'
import { type Waiter, Waiters } from './waiters.ts'

export interface NotifierOptions {
  readonly pollMs: number
  /** Receives errors of background work, where there is no caller to throw to. */
  readonly onError: (error: unknown) => void
}

export class Notifier {
  readonly #engine: Engine
  readonly #signals: Signals
  readonly #options: NotifierOptions
  readonly #waiters = new Waiters()
  /** The last audit entry of each tenant that the poll has read. */
  readonly #positions = new Map<string, number>()
  #poll: NodeJS.Timeout | undefined
  #isPolling = false
  #late = 0

  constructor(engine: Engine, signals: Signals, options: NotifierOptions) {
    this.#engine = engine
    this.#signals = signals
    this.#options = options
  }

  /**
   * To be called after the commit of every change to an ask in this process, unless the change ended it.
   *
   * @param approvers of the ask; `all` if they are unknown
   */
  changed(tenant: string, id: string, approvers: readonly string[] | 'all' = 'all'): void {
    this.#publish(signalOf(tenant, id, false, approvers))
  }

  /** To be called after the commit of every end of an ask in this process. */
  ended(tenant: string, id: string, approvers: readonly string[] | 'all'): void {
    this.#publish(signalOf(tenant, id, true, approvers))
  }

  /** Notified when the ask has ended. */
  waiterFor(tenant: string, id: string): Waiter {
    return this.#open([tenant], [askKey(tenant, id)])
  }

  waiterForTenants(...tenants: readonly string[]): Waiter {
    return this.#open(tenants, tenants.map(tenantKey))
  }

  /** Notified of changes that concern the approvers added to it with `approverKey`. */
  waiterForApprovers(tenant: string): Waiter {
    return this.waiterForTenants(tenant)
  }

  /** Notified only by signals that name this, not at polls. */
  waiterForEnd(tenant: string, name: string): Waiter {
    return this.#open([tenant], [approverKey(tenant, name)])
  }

  /** Ends for which no signal arrived: the poll found them while there was still a waiter. */
  get late(): number {
    return this.#late
  }

  /** The number of keys with a waiter. */
  get waiting(): number {
    return this.#waiters.size
  }

  async close(): Promise<void> {
    this.#stop()
    await this.#signals.close()
  }

  #publish(signal: AskSignal): void {
    this.#notify(signal)
    this.#signals.publish(signal)
  }

  #open(tenants: readonly string[], keys: readonly string[]): Waiter {
    const isFirst = this.#waiters.size === 0
    const waiter = this.#waiters.open(keys, () => {
      if (this.#waiters.size === 0) this.#stop()
    })
    for (const tenant of tenants) this.#signals.follow(tenant)
    if (isFirst) this.#start()
    return waiter
  }

  /** Does not poll at once: a waiter reads its ask after this, and most waits are shorter than the poll interval. */
  #start(): void {
    this.#positions.clear()
    this.#signals.start((signal) => (signal === undefined ? void this.#pollEnds() : this.#notify(signal)))
    this.#poll = setInterval(() => void this.#pollEnds(), this.#options.pollMs)
  }

  #stop(): void {
    clearInterval(this.#poll)
    this.#poll = undefined
    this.#signals.stop()
  }

  #notify({ tenant, id, isEnd, approvers }: AskSignal): void {
    if (isEnd) this.#waiters.notify(askKey(tenant, id))
    if (approvers === 'all') this.#waiters.notify(tenantKey(tenant))
    else for (const digest of approvers) this.#waiters.notify(digestKey(tenant, digest))
  }

  async #pollEnds(): Promise<void> {
    for (const key of this.#waiters.keys) if (isTenantKey(key)) this.#waiters.notify(key)
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      const tenants = new Set([...this.#waiters.keys].filter(isAskKey).map(tenantOf))
      for (const tenant of this.#positions.keys()) if (!tenants.has(tenant)) this.#positions.delete(tenant)
      for (const tenant of tenants) await this.#pollTenant(tenant)
    } catch (error) {
      this.#options.onError(error)
    } finally {
      this.#isPolling = false
    }
  }

  async #pollTenant(tenant: string): Promise<void> {
    const position = this.#positions.get(tenant)
    if (position !== undefined) return this.#notifyEndsAfter(tenant, position)
    const [head] = await this.#engine.run(readHead, { tenant })
    await this.#notifyEnded(tenant)
    this.#positions.set(tenant, head?.seq ?? 0)
  }

  /** Checks all asks of the tenant that are waited for, whenever they ended. */
  async #notifyEnded(tenant: string): Promise<void> {
    const keys = [...this.#waiters.keys].filter((key) => isAskKey(key) && tenantOf(key) === tenant)
    for (let at = 0; at < keys.length; at += endsPage) {
      const ids = JSON.stringify(keys.slice(at, at + endsPage).map(idOf))
      for (const { id } of await this.#engine.run(findEnded, { tenant, ids })) this.#foundEnd(tenant, id)
    }
  }

  async #notifyEndsAfter(tenant: string, position: number): Promise<void> {
    let after = position
    for (;;) {
      const entries = await this.#engine.run(readEnds, { tenant, after_seq: after })
      for (const { ended } of entries) if (ended !== null) this.#foundEnd(tenant, ended)
      after = entries.at(-1)?.seq ?? after
      this.#positions.set(tenant, after)
      if (entries.length < endsPage) return
    }
  }

  #foundEnd(tenant: string, id: string): void {
    if (this.#waiters.notify(askKey(tenant, id))) this.#late += 1
  }
}

// Keys of waiters. The part after the last space is the id of an ask, `@` with the digest of an approver, or empty for the whole
// tenant: an id contains neither a space nor `@`, a tenant's name may.

/** The key of changes that concern an approver. */
export function approverKey(tenant: string, approver: string): string {
  return digestKey(tenant, approverDigest(approver))
}

function askKey(tenant: string, id: string): string {
  return `${tenant} ${id}`
}

function tenantKey(tenant: string): string {
  return `${tenant} `
}

function digestKey(tenant: string, digest: string): string {
  return `${tenant} @${digest}`
}

function isTenantKey(key: string): boolean {
  return key.endsWith(' ')
}

function isAskKey(key: string): boolean {
  return !isTenantKey(key) && key.at(key.lastIndexOf(' ') + 1) !== '@'
}

function tenantOf(key: string): string {
  return key.slice(0, key.lastIndexOf(' '))
}

function idOf(key: string): string {
  return key.slice(key.lastIndexOf(' ') + 1)
}
