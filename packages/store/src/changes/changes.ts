// The changes to a tenant's asks, for the people that a process serves, which can be followed from any position.
//
// To keep a list up to date: add its people to a listener, wait for it, then read on from the last position. A listener may resolve
// without a change; no change is skipped or returned twice, however late its transaction commits. In a database that was restored,
// it is unknown what changed: the reader reads its lists again, and continues at the end.

import { type ApprovalRule, approverNames, type Person } from '@assent/core'
import { readApprovalRule } from '../asks/ask-row.ts'
import type { Engine } from '../engine/engine.ts'
import { isRestored, readFrom, readPosition, sinceParams, startPosition } from '../log/position.ts'
import { approverKey, type Notifier } from '../notify/notifier.ts'
import type { Waiter } from '../notify/waiters.ts'
import { readChanges } from './read-changes.ts'

export type AskMove = 'raised' | 'voted' | 'settled' | 'undelivered' | 'expired' | 'withdrawn'

export interface Change {
  readonly id: string
  readonly move: AskMove
  /** Who may see the ask: core decides, because a rule may also exclude people. */
  readonly approvalRule: ApprovalRule
  readonly principal: string
}

export interface ChangesRead {
  readonly changes: readonly Change[]
  /** Continue from here. */
  readonly position: string
  /** Whether there are more changes already. */
  readonly more: boolean
  /** The database was restored, so it is unknown what changed before `position`: read everything. */
  readonly isRestored?: true
}

const moves: Readonly<Record<string, AskMove>> = {
  'ask.raised': 'raised',
  'ask.voted': 'voted',
  'ask.settled': 'settled',
  'ask.undelivered': 'undelivered',
  'ask.expired': 'expired',
  'ask.withdrawn': 'withdrawn',
}

export class Changes {
  readonly #engine: Engine
  readonly #notifier: Notifier

  constructor(engine: Engine, notifier: Notifier) {
    this.#engine = engine
    this.#notifier = notifier
  }

  /** The current position: changes that are committed later are after it. */
  async last(tenant: string): Promise<string> {
    const [row] = await this.#engine.run(readPosition, { tenant })
    return row?.position ?? startPosition
  }

  /**
   * The changes that concern these approvers.
   *
   * @param atMost the number of audit entries that are read, whomever they concern
   */
  async since(tenant: string, approvers: readonly string[], after: string, atMost: number): Promise<ChangesRead> {
    const params = { ...sinceParams(tenant, after), approvers: JSON.stringify(approvers) }
    const rows = await this.#engine.run(readChanges(atMost), params)
    // Not from the beginning: that reads the whole log, which takes longer than a request may.
    if (isRestored(after, rows))
      return { changes: [], position: rows[0]?.snapshot ?? startPosition, more: false, isRestored: true }
    const { entries, position, more } = readFrom(after, rows, atMost)
    const changes = entries.flatMap(({ kind, subject, approval_rule, principal }): Change[] => {
      const move = moves[kind]
      if (move === undefined || approval_rule === null || principal === null) return []
      return [{ id: subject, move, approvalRule: readApprovalRule(approval_rule), principal }]
    })
    return { changes, position, more }
  }

  listen(tenant: string): ChangeListener {
    return new ChangeListener(this, tenant, this.#notifier.waiterForApprovers(tenant))
  }
}

/** Listens for changes that concern some people of a tenant. A person may be added several times. */
export class ChangeListener {
  readonly #changes: Changes
  readonly #tenant: string
  readonly #waiter: Waiter
  /** How often each approver name was added. */
  readonly #counts = new Map<string, number>()

  constructor(changes: Changes, tenant: string, waiter: Waiter) {
    this.#changes = changes
    this.#tenant = tenant
    this.#waiter = waiter
  }

  add(person: Person): void {
    for (const name of approverNames(person)) {
      const count = this.#counts.get(name) ?? 0
      this.#counts.set(name, count + 1)
      if (count === 0) this.#waiter.add(approverKey(this.#tenant, name))
    }
  }

  remove(person: Person): void {
    for (const name of approverNames(person)) {
      const count = this.#counts.get(name) ?? 0
      this.#counts.set(name, count - 1)
      if (count > 1) continue
      this.#counts.delete(name)
      this.#waiter.remove(approverKey(this.#tenant, name))
    }
  }

  /** Changes that concern any of the people. */
  since(after: string, atMost: number): Promise<ChangesRead> {
    return this.#changes.since(this.#tenant, [...this.#counts.keys()], after, atMost)
  }

  /**
   * Resolves when an ask that concerns one of the people may have changed in any process, at every poll, or after `timeoutMs`.
   * Returns false after the timeout.
   */
  wait(timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return this.#waiter.wait(timeoutMs, signal)
  }

  close(): void {
    this.#waiter.close()
  }
}
