// What happened to a tenant's asks, to be followed from any moment on.
//
// For whoever keeps a list up to date: wait for the bell, then read on from the last number. A bell may ring for
// nothing; no number is ever skipped, and none comes twice.

import { readHead } from '../audit/read-head.ts'
import type { Engine } from '../engine/engine.ts'
import type { Bell } from '../wake/bells.ts'
import type { Watch } from '../wake/watch.ts'
import { readChanges } from './read-changes.ts'

export type AskMove = 'raised' | 'voted' | 'settled' | 'undelivered' | 'expired' | 'withdrawn'

export interface Change {
  readonly seq: number
  readonly id: string
  readonly move: AskMove
}

export interface ChangesRead {
  readonly changes: readonly Change[]
  /** Read on from here. */
  readonly lastSeq: number
  /** There is more to read already. */
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
  readonly #watch: Watch

  constructor(engine: Engine, watch: Watch) {
    this.#engine = engine
    this.#watch = watch
  }

  /** The number of the last thing that happened; 0 when nothing has. */
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

  /** Rings when anything may have happened to an ask of this tenant, in any process. */
  listen(tenant: string): Bell {
    return this.#watch.listenToAll(tenant)
  }
}
