// Rounds towards a server that carry an answer given in the inbox or the terminal.
//
// Owns: the claim of each round and its stored outcome.
// I1  A round is claimed at most once; a claim does not expire while a state or handle of the round is valid.
// I2  Only the owner stores the outcome, once, or gives the claim back while none is stored.
// I3  An owner whose lease has ended may have sent the round: nobody else takes it over.

import type { Engine } from '../engine/engine.ts'
import { claimRound, releaseRound } from './claim-round.ts'
import { finishRound } from './finish-round.ts'
import { readRound } from './read-round.ts'

export interface RoundName {
  readonly tenant: string
  readonly id: string
  /** On whose behalf it runs; for anyone else it does not exist. */
  readonly principal: string
}

export type RoundState =
  | { readonly kind: 'claimed'; readonly owner: string; readonly isOwnerAlive: boolean }
  | { readonly kind: 'finished'; readonly outcome: string }

export class Rounds {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /**
   * True when this call claimed the round. False when there is a claim already; after an unclear failure that may be this
   * one, and then the owner in `read` is this owner.
   */
  async claim({ tenant, id, principal }: RoundName, owner: string, keepMs: number): Promise<boolean> {
    const rows = await this.#engine.runRepeatable(claimRound, { tenant, id, principal, owner, keep: keepMs })
    return rows.length === 1
  }

  async read({ tenant, id, principal }: RoundName): Promise<RoundState | undefined> {
    const [row] = await this.#engine.run(readRound, { tenant, id, principal })
    if (row === undefined) return undefined
    if (row.outcome !== null) return { kind: 'finished', outcome: row.outcome }
    return { kind: 'claimed', owner: row.owner, isOwnerAlive: row.is_alive === 1 }
  }

  /** True when the outcome is stored, now or by the same step before. */
  async finish(name: RoundName, owner: string, outcome: string): Promise<boolean> {
    const { tenant, id, principal } = name
    const rows = await this.#engine.runRepeatable(finishRound, { tenant, id, principal, owner, outcome })
    if (rows.length === 1) return true
    const found = await this.read(name)
    return found?.kind === 'finished' && found.outcome === outcome
  }

  /** Gives back a claim under which nothing was sent. */
  async release({ tenant, id, principal }: RoundName, owner: string): Promise<void> {
    await this.#engine.runRepeatable(releaseRound, { tenant, id, principal, owner })
  }
}
