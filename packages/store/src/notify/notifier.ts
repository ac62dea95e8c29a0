// Wakes the waiters for an ask, whichever process changed it.
//
// Owns: this process's waiters, the slow poll and its position in each tenant's audit log, and when both run.
// I1  Each of three events notifies a waiter for an ask: this process ended the ask; another process sent a signal; the slow
//     poll found its end. So losing every signal only causes a delay.
// I2  The poll reads each audit entry once, as soon as it is committed. A tenant's position is read before the asks that are waited for are
//     checked once, and every later waiter reads its ask itself: no end lies between. In a database that was restored, a
//     position means nothing: then this is repeated. So it is after signals or a poll were lost: a standby that was promoted may assign
//     again the numbers of transactions that it never received, and the position does not show that.
// I3  A waiter for a tenant, or for the approvers of one, is also notified at every poll.
// I4  A signal names whom a change concerns, so that other waiters are not notified of it.

import type { Engine } from '../engine/engine.ts'
import { isRestored, readFrom, readPosition, sinceParams, startPosition } from '../log/position.ts'
import { type AskSignal, approverDigest, signalOf } from './ask-signal.ts'
import { endKinds, endsPage, findEnded, readEnds } from './read-ends.ts'
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
  /** By tenant: which audit entries the poll has read. Replaced in order to begin again: a running poll keeps its own. */
  #positions = new Map<string, string>()
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
    this.#positions = new Map()
    this.#signals.start((signal) => {
      if (signal === 'lost') this.#positions = new Map()
      if (signal === undefined || signal === 'lost') void this.#pollEnds()
      else this.#notify(signal)
    })
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
    const positions = this.#positions
    try {
      const tenants = new Set([...this.#waiters.keys].filter(isAskKey).map(tenantOf))
      for (const tenant of positions.keys()) if (!tenants.has(tenant)) positions.delete(tenant)
      for (const tenant of tenants) await this.#pollTenant(tenant, positions)
    } catch (error) {
      this.#positions = new Map()
      this.#options.onError(error)
    } finally {
      this.#isPolling = false
    }
  }

  async #pollTenant(tenant: string, positions: Map<string, string>): Promise<void> {
    const position = positions.get(tenant)
    if (position !== undefined && (await this.#notifyEndsAfter(tenant, position, positions))) return
    const [current] = await this.#engine.run(readPosition, { tenant })
    await this.#notifyEnded(tenant)
    positions.set(tenant, current?.position ?? startPosition)
  }

  /** Checks all asks of the tenant that are waited for, whenever they ended. */
  async #notifyEnded(tenant: string): Promise<void> {
    const keys = [...this.#waiters.keys].filter((key) => isAskKey(key) && tenantOf(key) === tenant)
    for (let at = 0; at < keys.length; at += endsPage) {
      const ids = JSON.stringify(keys.slice(at, at + endsPage).map(idOf))
      for (const { id } of await this.#engine.run(findEnded, { tenant, ids })) this.#foundEnd(tenant, id)
    }
  }

  /** False if the position is not one of this database. */
  async #notifyEndsAfter(tenant: string, position: string, positions: Map<string, string>): Promise<boolean> {
    let after = position
    for (;;) {
      const rows = await this.#engine.run(readEnds, sinceParams(tenant, after))
      if (isRestored(after, rows)) return false
      const { entries, position: next, more } = readFrom(after, rows, endsPage)
      for (const { kind, subject } of entries) if (endKinds.includes(kind)) this.#foundEnd(tenant, subject)
      after = next
      positions.set(tenant, after)
      if (!more) return true
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
