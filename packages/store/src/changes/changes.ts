// The changes to a tenant's asks, for the people that a process serves, which can be followed from any sequence number.
//
// To keep a list up to date: add its people to a listener, wait for it, then read on from the last number. A listener may resolve
// without a change; no number is skipped or returned twice.

import { type ApprovalRule, approverNames, type Person } from '@assent/core'
import { readApprovalRule } from '../asks/ask-row.ts'
import { readHead } from '../audit/read-head.ts'
import type { Engine } from '../engine/engine.ts'
import { approverKey, type Notifier } from '../notify/notifier.ts'
import type { Waiter } from '../notify/waiters.ts'
import { readChanges } from './read-changes.ts'

export type AskMove = 'raised' | 'voted' | 'settled' | 'undelivered' | 'expired' | 'withdrawn'

export interface Change {
  readonly seq: number
  readonly id: string
  readonly move: AskMove
  /** Who may see the ask: core decides, because a rule may also exclude people. */
  readonly approvalRule: ApprovalRule
  readonly principal: string
}

export interface ChangesRead {
  readonly changes: readonly Change[]
  /** Continue from here. */
  readonly lastSeq: number
  /** Whether there are more changes already. */
  readonly more: boolean
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

  /** The sequence number of the last entry; 0 if there is none. */
  async last(tenant: string): Promise<number> {
    const [head] = await this.#engine.run(readHead, { tenant })
    return head?.seq ?? 0
  }

  /**
   * The changes that concern these approvers.
   *
   * @param atMost the number of audit entries that are read, whomever they concern
   */
  async since(tenant: string, approvers: readonly string[], afterSeq: number, atMost: number): Promise<ChangesRead> {
    const params = { tenant, after_seq: afterSeq, approvers: JSON.stringify(approvers) }
    const rows = await this.#engine.run(readChanges(atMost), params)
    const changes = rows.flatMap(({ seq, kind, subject, approval_rule, principal }): Change[] => {
      const move = moves[kind]
      if (move === undefined || approval_rule === null || principal === null) return []
      return [{ seq, id: subject, move, approvalRule: readApprovalRule(approval_rule), principal }]
    })
    return { changes, lastSeq: rows.at(-1)?.seq ?? afterSeq, more: rows.length === atMost }
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
  since(afterSeq: number, atMost: number): Promise<ChangesRead> {
    return this.#changes.since(this.#tenant, [...this.#counts.keys()], afterSeq, atMost)
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
