// Calls that a process holds open while a server waits inside them: their owner, lease and outcome.
//
// I1  An outcome is stored before it is delivered, so a broken connection never runs a tool again.
// I2  Only the owner can finish a call, and only while its lease is valid.
// I3  From the end of its lease on, every read returns the call as lost, whether or not it was swept.

import { DuplicateKey, type Engine } from '../engine/engine.ts'
import { beginCall } from './begin-call.ts'
import { deliverCall } from './deliver-call.ts'
import { findFinished, finishCall } from './finish-call.ts'
import { type CallRow, readCall } from './read-call.ts'
import { endCallLease, renewLeases } from './renew-leases.ts'

export interface CallDraft {
  readonly tenant: string
  readonly id: string
  readonly principal: string
  readonly server: string
  readonly method: string
  readonly requestDigest: string
  readonly owner: string
  readonly leaseMs: number
}

export interface Call {
  readonly tenant: string
  readonly id: string
  readonly principal: string
  readonly server: string
  readonly method: string
  readonly requestDigest: string
  readonly owner: string
  readonly startedAtMs: number
  readonly state:
    | { readonly kind: 'running'; readonly leaseUntilMs: number }
    | { readonly kind: 'finished'; readonly outcome: string; readonly atMs: number; readonly delivered: boolean }
    | { readonly kind: 'lost'; readonly atMs: number }
}

export class Calls {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async begin({ tenant, id, principal, server, method, requestDigest, owner, leaseMs }: CallDraft): Promise<void> {
    const row = { tenant, id, principal, server, method, request_digest: requestDigest, owner, lease: leaseMs }
    try {
      await this.#engine.runRepeatable(beginCall, row)
    } catch (error) {
      // The same call by the same owner was inserted before its connection broke.
      const isThere = error instanceof DuplicateKey && error.table === 'calls'
      const there = isThere ? await this.read(tenant, id, principal) : undefined
      if (there?.owner !== owner || there.requestDigest !== requestDigest) throw error
    }
  }

  /** Extends all leases of this owner. Returns the ids it still owns: any other call of this owner is lost and must be dropped. */
  async renew(owner: string, leaseMs: number): Promise<Set<string>> {
    const rows = await this.#engine.runRepeatable(renewLeases, { owner, lease: leaseMs })
    return new Set(rows.map(({ id }) => id))
  }

  /** Ends the lease of a call that its owner does not hold any more and that has no outcome: it is lost from now on. */
  async abandon(id: string, owner: string): Promise<void> {
    await this.#engine.runRepeatable(endCallLease, { id, owner })
  }

  /** False if this owner may no longer finish the call; then its outcome must not be delivered either. */
  async finish(tenant: string, id: string, owner: string, outcome: string): Promise<boolean> {
    const key = { tenant, id, owner, outcome }
    if ((await this.#engine.runRepeatable(finishCall, key)).length === 1) return true
    // The first run may have stored this outcome before its connection broke.
    return (await this.#engine.run(findFinished, key)).length === 1
  }

  async read(tenant: string, id: string, principal: string): Promise<Call | undefined> {
    const [row] = await this.#engine.run(readCall, { tenant, id, principal })
    return row === undefined ? undefined : callFromRow(row)
  }

  /** True the first time: the outcome is delivered now. */
  async delivered(tenant: string, id: string): Promise<boolean> {
    const rows = await this.#engine.runRepeatable(deliverCall, { tenant, id })
    return rows.length === 1
  }
}

function callFromRow(row: CallRow): Call {
  return {
    tenant: row.tenant,
    id: row.id,
    principal: row.principal,
    server: row.server,
    method: row.method,
    requestDigest: row.request_digest,
    owner: row.owner,
    startedAtMs: row.started_at,
    state: stateFromRow(row),
  }
}

function stateFromRow(row: CallRow): Call['state'] {
  if (row.state === 'finished') {
    return {
      kind: 'finished',
      outcome: row.outcome ?? '',
      atMs: row.ended_at ?? row.lease_until,
      delivered: row.delivered_at !== null,
    }
  }
  if (row.state === 'lost' || row.lease_until <= row.now) return { kind: 'lost', atMs: row.lease_until }
  return { kind: 'running', leaseUntilMs: row.lease_until }
}
