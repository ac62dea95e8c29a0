// The changes to a tenant's asks, which can be followed from any sequence number.
//
// To keep a list up to date: wait for the waiter, then read on from the last number. A waiter may resolve without a change; no
// number is skipped or returned twice.

import { readHead } from '../audit/read-head.ts'
import type { Engine } from '../engine/engine.ts'
import type { Notifier } from '../notify/notifier.ts'
import type { Waiter } from '../notify/waiters.ts'
import { readChanges } from './read-changes.ts'

export type AskMove = 'raised' | 'voted' | 'settled' | 'undelivered' | 'expired' | 'withdrawn'

export interface Change {
  readonly seq: number
  readonly id: string
  readonly move: AskMove
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

  async since(tenant: string, afterSeq: number, atMost: number): Promise<ChangesRead> {
    const rows = await this.#engine.run(readChanges, { tenant, after_seq: afterSeq, at_most: atMost })
    const changes = rows.flatMap(({ seq, kind, subject }): Change[] => {
      const move = moves[kind]
      return move === undefined ? [] : [{ seq, id: subject, move }]
    })
    return { changes, lastSeq: rows.at(-1)?.seq ?? afterSeq, more: rows.length === atMost }
  }

  /** Resolves when any ask of this tenant may have changed, in any process. */
  listen(tenant: string): Waiter {
    return this.#notifier.waiterForTenants(tenant)
  }
}
