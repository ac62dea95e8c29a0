// A yes and its single use.

import type { Audit } from '../audit/audit.ts'
import type { Engine } from '../engine/engine.ts'
import { readGrant } from './read-grant.ts'
import { type GrantRow, useGrant } from './use-grant.ts'
import { useId } from './used-ids.ts'

export interface Grant {
  readonly tenant: string
  readonly id: string
  readonly askId: string
  /** Of the one action it is for. */
  readonly digest: string
  /** On whose behalf that action may run. */
  readonly principal: string
  readonly grantedAtMs: number
  readonly expiresAtMs: number
}

export interface GrantUse {
  readonly tenant: string
  readonly id: string
  /** Of the action that is about to run, computed from what will really be sent. */
  readonly digest: string
  readonly principal: string
  /** Which process or call uses it; for the record. */
  readonly usedBy: string
}

export class Grants {
  readonly #engine: Engine
  readonly #audit: Audit

  constructor(engine: Engine, audit: Audit) {
    this.#engine = engine
    this.#audit = audit
  }

  /** The grant, now used up; or undefined, and then nothing may run. */
  async use({ tenant, id, digest, principal, usedBy }: GrantUse): Promise<Grant | undefined> {
    const body = this.#audit.body({ digest, principal, usedBy })
    const [row] = await this.#engine.run(useGrant, { tenant, id, digest, principal, used_by: usedBy, ...body })
    return row === undefined ? undefined : grantFromRow(row)
  }

  /** What an ask granted, with whether it was used. */
  async read(tenant: string, askId: string): Promise<(Grant & { readonly usedAtMs?: number }) | undefined> {
    const [row] = await this.#engine.run(readGrant, { tenant, ask_id: askId })
    if (row === undefined) return undefined
    return row.used_at === null ? grantFromRow(row) : { ...grantFromRow(row), usedAtMs: row.used_at }
  }

  /** True once for each id of a sealed state; false is a replay. */
  async useState(tenant: string, stateId: string, expiresAtMs: number): Promise<boolean> {
    const rows = await this.#engine.run(useId, { tenant, id: stateId, expires_at: expiresAtMs })
    return rows.length === 1
  }
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
