// Tracks the open asks that only one request, one client session or this process waits for.
//
// Owns: per request, the asks that it raised and that name this replica; releases that the store could not record yet.
// Does not own: the asks of held calls, which end with the call's lease (hold/held-calls.ts).
// I1  An ask names this replica only while the replica's lease holds, and the lease is held until the ask is handed out
//     or the request has ended.
// I2  An ask is handed out before a state or handle that refers to it is returned.
// I3  An ask that a dropped request raised and that was not handed out is withdrawn.
// I4  Over stdio a state or handle ends with the process, so those asks name the replica until they end.

import type { WithdrawReason } from '@assent/core'
import type { Store } from '@assent/store'
import type { Heartbeat } from '../../cluster/heartbeat.ts'
import { tryEach } from '../../protocol/try-each.ts'
import { withinOrFail } from './wait-for-ask.ts'

/** What ends a state or handle that the caller gets, besides its expiry; `none` when only the expiry does. */
export type Lifeline = { readonly kind: 'none' | 'process' } | { readonly kind: 'session'; readonly id: string }

export class WaitingAsks {
  readonly #store: Store
  readonly #heartbeat: Heartbeat
  readonly #onError: (error: unknown) => void
  /** Asks to hand out when the store is available again: tenant by ask id. */
  readonly #pending = new Map<string, string>()
  #releasePending: (() => void) | undefined
  #isNamed = false

  constructor(store: Store, heartbeat: Heartbeat, onError: (error: unknown) => void) {
    this.#store = store
    this.#heartbeat = heartbeat
    this.#onError = onError
    heartbeat.onBeat(() => this.#handOutPending())
  }

  /** Tracks the asks of one request. */
  of(tenant: string, lifeline: Lifeline): RequestAsks {
    return new RequestAsks(this, tenant, lifeline)
  }

  /** Withdraws the asks that still name this replica at shutdown. */
  async close(reason: WithdrawReason): Promise<void> {
    if (!this.#isNamed) return
    let withdrawn: number
    do withdrawn = await this.#store.asks.withdrawOfReplica(this.#heartbeat.replica, reason)
    while (withdrawn > 0)
  }

  /** Names this replica and holds its lease until `release` is called. */
  async name(): Promise<{ replica: string; release: () => void }> {
    const release = this.#heartbeat.hold()
    this.#isNamed = true
    try {
      await this.#heartbeat.ensure()
      return { replica: this.#heartbeat.replica, release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Does not delay the reply: a state is returned even while the store is unavailable. */
  async handOut(tenant: string, id: string, session?: string): Promise<void> {
    try {
      await withinOrFail(this.#store.asks.handOut(tenant, id, session), 0)
    } catch (error) {
      this.#onError(error)
      if (session === undefined) this.#handOutLater(tenant, id)
    }
  }

  async withdraw(tenant: string, id: string, reason: WithdrawReason): Promise<void> {
    await withinOrFail(this.#store.asks.withdraw(tenant, id, reason), 0).catch(this.#onError)
  }

  /** Until it is handed out the ask names this replica, so the replica must keep its lease. */
  #handOutLater(tenant: string, id: string): void {
    this.#pending.set(id, tenant)
    this.#releasePending ??= this.#heartbeat.hold()
  }

  async #handOutPending(): Promise<void> {
    await tryEach(this.#pending, async ([id, tenant]) => {
      await this.#store.asks.handOut(tenant, id)
      this.#pending.delete(id)
    })
    this.#releasePending?.()
    this.#releasePending = undefined
  }
}

export class RequestAsks {
  readonly #all: WaitingAsks
  readonly #tenant: string
  readonly #lifeline: Lifeline
  readonly #named = new Set<string>()
  #naming: { readonly replica: string; readonly release: () => void } | undefined

  constructor(all: WaitingAsks, tenant: string, lifeline: Lifeline) {
    this.#all = all
    this.#tenant = tenant
    this.#lifeline = lifeline
  }

  /** Tracks asks that are raised after this request got its reply. */
  get afterwards(): RequestAsks | undefined {
    return this.#lifeline.kind === 'process' ? this.#all.of(this.#tenant, this.#lifeline) : undefined
  }

  /** The replica that a new ask names. Undefined where a held call's lease covers the ask. */
  async replicaFor(callId: string | undefined): Promise<string | undefined> {
    if (callId !== undefined && this.#lifeline.kind !== 'process') return undefined
    this.#naming ??= await this.#all.name()
    return this.#naming.replica
  }

  raised(id: string): void {
    this.#named.add(id)
  }

  /** These asks have ended and need no tracking. */
  ended(ids: readonly string[]): void {
    for (const id of ids) this.#named.delete(id)
  }

  /** Called before a state that refers to every ask of this request is returned or stored. */
  async handOut(): Promise<void> {
    if (this.#lifeline.kind !== 'process') {
      for (const id of this.#named) await this.#all.handOut(this.#tenant, id)
    }
    this.#named.clear()
  }

  /** Called before a handle that refers to these asks is returned. */
  async handOutAsHandle(ids: readonly string[]): Promise<void> {
    if (this.#lifeline.kind === 'session') {
      for (const id of ids) await this.#all.handOut(this.#tenant, id, this.#lifeline.id)
      this.#named.clear()
    } else await this.handOut()
  }

  /** Called when the request was dropped and no state for its asks reached the caller. */
  async withdraw(reason: WithdrawReason): Promise<void> {
    for (const id of this.#named) await this.#all.withdraw(this.#tenant, id, reason)
    this.#named.clear()
  }

  /** Called when the request has its reply. */
  end(): void {
    if (this.#lifeline.kind !== 'process') this.#naming?.release()
  }
}
