// Rounds towards a server that carry an answer given in the inbox or the terminal.
//
// Owns: the claim of each round and its stored outcome.
// I1  A round is claimed at most once; a claim does not expire while a state or handle of the round is valid.
// I2  Only the owner stores the outcome, once, or releases the claim while no outcome is stored.
// I3  An owner whose lease has ended may have sent the round: no other process takes it over.

import type { Engine } from '../engine/engine.ts'
import { claimRound, type RoundKey, releaseRound } from './claim-round.ts'
import { finishRound } from './finish-round.ts'
import { readRound } from './read-round.ts'

export type RoundState =
  | { readonly kind: 'claimed'; readonly owner: string; readonly isOwnerAlive: boolean }
  | { readonly kind: 'finished'; readonly outcome: string }

export class Rounds {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /**
   * True if this call claimed the round. False if there is a claim already. After a broken connection that may be this one, and
   * then `read` returns this owner.
   */
  async claim({ tenant, id, principal }: RoundKey, owner: string, keepMs: number): Promise<boolean> {
    const rows = await this.#engine.runRepeatable(claimRound, { tenant, id, principal, owner, keep: keepMs })
    return rows.length === 1
  }

  async read({ tenant, id, principal }: RoundKey): Promise<RoundState | undefined> {
    const [row] = await this.#engine.run(readRound, { tenant, id, principal })
    if (row === undefined) return undefined
    if (row.outcome !== null) return { kind: 'finished', outcome: row.outcome }
    return { kind: 'claimed', owner: row.owner, isOwnerAlive: row.is_alive === 1 }
  }

  /** True if the outcome is stored, now or by an earlier run of the same step. */
  async finish(name: RoundKey, owner: string, outcome: string): Promise<boolean> {
    const { tenant, id, principal } = name
    const rows = await this.#engine.runRepeatable(finishRound, { tenant, id, principal, owner, outcome })
    if (rows.length === 1) return true
    const found = await this.read(name)
    return found?.kind === 'finished' && found.outcome === outcome
  }

  /** Releases a claim under which nothing was sent. */
  async release({ tenant, id, principal }: RoundKey, owner: string): Promise<void> {
    await this.#engine.runRepeatable(releaseRound, { tenant, id, principal, owner })
  }
}
