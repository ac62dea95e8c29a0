// Grants: an approval of one action, which can be used once.

import type { Ask } from '@assent/core'
import type { Asks } from '../asks/asks.ts'
import type { Signatures } from '../asks/signatures.ts'
import type { Audit } from '../audit/audit.ts'
import type { Engine } from '../engine/engine.ts'
import { readGrant, readGrantById } from './read-grant.ts'
import { findUse, type GrantRow, useGrant } from './use-grant.ts'
import { useId } from './used-ids.ts'

export interface Grant {
  readonly tenant: string
  readonly id: string
  readonly askId: string
  /** The digest of the approved action. */
  readonly digest: string
  /** The principal on whose behalf the action may run. */
  readonly principal: string
  readonly grantedAtMs: number
  readonly expiresAtMs: number
}

export interface GrantUse {
  readonly tenant: string
  readonly id: string
  /** The digest of the action that is about to run, computed from the bytes that will be sent. */
  readonly digest: string
  readonly principal: string
  /** The process or call that uses it, for the audit log. */
  readonly usedBy: string
  /**
   * A random id of this use, which only its caller knows. A use that failed with an error may have been committed: with the
   * same id it can be made again and is recognised. After a use that succeeded, the caller must never pass its id again.
   */
  readonly attempt?: string
}

export class Grants {
  readonly #engine: Engine
  readonly #audit: Audit
  readonly #asks: Asks
  readonly #signatures: Signatures

  constructor(engine: Engine, audit: Audit, asks: Asks, signatures: Signatures) {
    this.#engine = engine
    this.#audit = audit
    this.#asks = asks
    this.#signatures = signatures
  }

  /**
   * Uses the grant and returns it; undefined means that nothing may run. The row of a grant proves nothing by itself: its
   * signature and those of the decision are verified first.
   */
  async use({ tenant, id, digest, principal, usedBy: user, attempt }: GrantUse): Promise<Grant | undefined> {
    const [row] = await this.#engine.run(readGrantById, { tenant, id })
    if (row === undefined || row.digest !== digest || row.principal !== principal) return undefined
    const grant = grantFromRow(row)
    const problem = this.#signatures.grantProblem(grant, row.signature)
    if (problem !== undefined) {
      await this.#signatures.report(tenant, grant.askId, problem)
      return undefined
    }
    const ask = await this.#asks.read(tenant, grant.askId)
    if (ask === undefined || !isGrantOf(ask, grant)) return undefined
    const { askId: ask_id, grantedAtMs: granted_at, expiresAtMs: expires_at } = grant
    const bound = { tenant, id, ask_id, digest, principal, granted_at, expires_at }
    const usedBy = attempt === undefined ? user : `${user} ${attempt}`
    const params = { ...bound, used_by: usedBy, ...this.#audit.body({ digest, principal, usedBy }) }
    if (attempt === undefined) return (await this.#engine.run(useGrant, params)).length === 1 ? grant : undefined
    const used = await this.#engine.runRepeatable(useGrant, params)
    if (used.length === 1) return grant
    const before = await this.#engine.run(findUse, { ...bound, used_by: usedBy })
    return before.length === 1 ? grant : undefined
  }

  /** The grant of an ask, with the time of its use, if any. */
  async read(tenant: string, askId: string): Promise<(Grant & { readonly usedAtMs?: number }) | undefined> {
    const [row] = await this.#engine.run(readGrant, { tenant, ask_id: askId })
    if (row === undefined) return undefined
    return row.used_at === null ? grantFromRow(row) : { ...grantFromRow(row), usedAtMs: row.used_at }
  }

  /** True once per id of a sealed state; false means a replay. */
  async useState(tenant: string, stateId: string, expiresAtMs: number): Promise<boolean> {
    const rows = await this.#engine.run(useId, { tenant, id: stateId, expires_at: expiresAtMs })
    return rows.length === 1
  }
}

/** Whether this decision created this grant, for this action and this period. */
function isGrantOf({ state, question, principal, useWithinMs }: Ask, grant: Grant): boolean {
  if (state.kind !== 'settled' || state.answer.action !== 'accept' || question.kind !== 'approval') return false
  if (question.digest !== grant.digest || principal !== grant.principal) return false
  return grant.grantedAtMs === state.atMs && grant.expiresAtMs === state.atMs + useWithinMs
}

function grantFromRow(row: GrantRow): Grant {
  return {
    tenant: row.tenant,
    id: row.id,
    askId: row.ask_id,
    digest: row.digest,
    principal: row.principal,
    grantedAtMs: row.granted_at,
    expiresAtMs: row.expires_at,
  }
}
