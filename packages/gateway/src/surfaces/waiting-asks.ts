// Which open asks only one request, one client session or this process waits for.
//
// Owns: per request, the asks that it raised and that name this replica; the release of asks that the store could not take yet.
// Does not own: the asks of held calls, which end with the call's lease (relay/parking.ts).
// I1  An ask names this replica only while the replica's lease holds, and the lease is held until the ask is handed out or
//     the request has ended.
// I2  An ask is handed out before a state or handle that leads to it is returned.
// I3  An ask that a dropped request raised and that was not handed out is withdrawn.
// I4  On standard input and output a state or handle ends with the process, so those asks name the replica all their life.

import type { WithdrawReason } from '@assent/core'
import type { Store } from '@assent/store'
import type { Heartbeat } from '../fleet/heartbeat.ts'
import { within } from './wait-for-ask.ts'

/** What a state or handle that the caller gets ends with; `none` when it ends by its own expiry alone. */
export type Lifeline = { readonly kind: 'none' | 'process' } | { readonly kind: 'session'; readonly id: string }

export class WaitingAsks {
  readonly #store: Store
  readonly #heartbeat: Heartbeat
  readonly #onTrouble: (error: unknown) => void
  /** Asks to hand out as soon as the store answers again, by id: their tenants. */
  readonly #owed = new Map<string, string>()
  #letGoOwed: (() => void) | undefined
  #isNamed = false

  constructor(store: Store, heartbeat: Heartbeat, onTrouble: (error: unknown) => void) {
    this.#store = store
    this.#heartbeat = heartbeat
    this.#onTrouble = onTrouble
    heartbeat.onBeat(() => this.#handOutOwed())
  }

  /** For the asks of one request. */
  of(tenant: string, lifeline: Lifeline): RequestAsks {
    return new RequestAsks(this, tenant, lifeline)
  }

  /** Withdraws what still names this replica when it ends. */
  async close(reason: WithdrawReason): Promise<void> {
    if (!this.#isNamed) return
    let withdrawn: number
    do withdrawn = await this.#store.asks.withdrawOfReplica(this.#heartbeat.replica, reason)
    while (withdrawn > 0)
  }

  /** The name of this replica, whose lease holds until the returned function is called. */
  async name(): Promise<{ replica: string; letGo: () => void }> {
    const letGo = this.#heartbeat.hold()
    this.#isNamed = true
    try {
      await this.#heartbeat.ensure()
      return { replica: this.#heartbeat.replica, letGo }
    } catch (error) {
      letGo()
      throw error
    }
  }

  /** Does not hold up the reply: a state is returned also while the store is away. */
  async handOut(tenant: string, id: string, session?: string): Promise<void> {
    try {
      await within(this.#store.asks.handOut(tenant, id, session), 0)
    } catch (error) {
      this.#onTrouble(error)
      if (session === undefined) this.#owe(tenant, id)
    }
  }

  async withdraw(tenant: string, id: string, reason: WithdrawReason): Promise<void> {
    await within(this.#store.asks.withdraw(tenant, id, reason), 0).catch(this.#onTrouble)
  }

  /** Until then the ask names this replica, which must not count as dead. */
  #owe(tenant: string, id: string): void {
    this.#owed.set(id, tenant)
    this.#letGoOwed ??= this.#heartbeat.hold()
  }

  async #handOutOwed(): Promise<void> {
    for (const [id, tenant] of this.#owed) {
      await this.#store.asks.handOut(tenant, id)
      this.#owed.delete(id)
    }
    this.#letGoOwed?.()
    this.#letGoOwed = undefined
  }
}

export class RequestAsks {
  readonly #all: WaitingAsks
  readonly #tenant: string
  readonly #lifeline: Lifeline
  readonly #named = new Set<string>()
  #naming: { readonly replica: string; readonly letGo: () => void } | undefined

  constructor(all: WaitingAsks, tenant: string, lifeline: Lifeline) {
    this.#all = all
    this.#tenant = tenant
    this.#lifeline = lifeline
  }

  /** For asks that are raised after this request has got its reply. */
  get afterwards(): RequestAsks | undefined {
    return this.#lifeline.kind === 'process' ? this.#all.of(this.#tenant, this.#lifeline) : undefined
  }

  /** The replica that a new ask names. Undefined where the lease of a held call does the same. */
  async replicaFor(callId: string | undefined): Promise<string | undefined> {
    if (callId !== undefined && this.#lifeline.kind !== 'process') return undefined
    this.#naming ??= await this.#all.name()
    return this.#naming.replica
  }

  raised(id: string): void {
    this.#named.add(id)
  }

  /** These have ended, so nothing waits for them. */
  ended(ids: readonly string[]): void {
    for (const id of ids) this.#named.delete(id)
  }

  /** A state is about to be returned, or stored, that leads to every ask this request raised. */
  async handOut(): Promise<void> {
    if (this.#lifeline.kind !== 'process') {
      for (const id of this.#named) await this.#all.handOut(this.#tenant, id)
    }
    this.#named.clear()
  }

  /** A handle is about to be returned that leads to these asks. */
  async handOutAsHandle(ids: readonly string[]): Promise<void> {
    if (this.#lifeline.kind === 'session') {
      for (const id of ids) await this.#all.handOut(this.#tenant, id, this.#lifeline.id)
      this.#named.clear()
    } else await this.handOut()
  }

  /** The request was dropped, and no state of its asks reached the caller. */
  async withdraw(reason: WithdrawReason): Promise<void> {
    for (const id of this.#named) await this.#all.withdraw(this.#tenant, id, reason)
    this.#named.clear()
  }

  /** The request has its reply. */
  end(): void {
    if (this.#lifeline.kind !== 'process') this.#naming?.letGo()
  }
}
