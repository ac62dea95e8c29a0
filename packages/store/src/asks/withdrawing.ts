// Withdraws open asks whose answer nothing waits for any more.

import type { WithdrawReason } from '@assent/core'
import type { Audit } from '../audit/audit.ts'
import type { Engine } from '../engine/engine.ts'
import type { Statement } from '../engine/statement.ts'
import type { Notifier } from '../notify/notifier.ts'
import type { Ended } from './end-ask.ts'
import { listedForRow } from './listed-for.ts'
import {
  findOfDeadReplicas,
  findOfGoneSessions,
  findOfReplica,
  type WaitingKey,
  type WithdrawParams,
  withdrawOfDeadReplica,
  withdrawOfGoneSession,
  withdrawOfReplica,
} from './waiting.ts'

const pageSize = 1_000

export class Withdrawing {
  readonly #engine: Engine
  readonly #audit: Audit
  readonly #notifier: Notifier

  constructor(engine: Engine, audit: Audit, notifier: Notifier) {
    this.#engine = engine
    this.#audit = audit
    this.#notifier = notifier
  }

  async ofReplica(replica: string, reason: WithdrawReason): Promise<number> {
    const found = await this.#engine.run(findOfReplica, { replica, at_most: pageSize })
    return this.#withdrawAll(found, withdrawOfReplica, reason)
  }

  async ofDeadReplicas(): Promise<number> {
    const found = await this.#engine.run(findOfDeadReplicas, { at_most: pageSize })
    return this.#withdrawAll(found, withdrawOfDeadReplica, 'owner-lost')
  }

  async ofGoneSessions(): Promise<number> {
    const found = await this.#engine.run(findOfGoneSessions, { at_most: pageSize })
    return this.#withdrawAll(found, withdrawOfGoneSession, 'caller-gone')
  }

  async #withdrawAll(
    found: readonly WaitingKey[],
    statement: Statement<WithdrawParams, Ended>,
    reason: WithdrawReason,
  ): Promise<number> {
    let withdrawn = 0
    for (const { tenant, id, waits } of found) {
      const params = { tenant, id, waits, state: 'withdrawn', reason, ...this.#audit.body({ reason }) } as const
      const [ended] = await this.#engine.runRepeatable(statement, params)
      if (ended === undefined) continue
      withdrawn += 1
      this.#notifier.ended(tenant, id, listedForRow(ended))
    }
    return withdrawn
  }
}
