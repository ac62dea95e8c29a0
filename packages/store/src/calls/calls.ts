// Calls that a process holds open while a server waits inside them: their owner and outcome.
//
// I1  An outcome is stored before it is delivered, so a broken connection never runs a tool again.
// I2  Only the owner can begin and finish a call, and only while its lease is valid (`replicas`), in the same statement.
// I3  A call runs until it is finished or marked as lost, once. When its owner's lease has ended, any replica may mark it
//     (sweep.ts).

import { AssentError } from '@assent/core'
import { DuplicateKey, type Engine } from '../engine/engine.ts'
import { beginCall } from './begin-call.ts'
import { deliverCall } from './deliver-call.ts'
import { findRunning } from './find-running.ts'
import { findUnfinished, finishCall } from './finish-call.ts'
import { type CallRow, readCall } from './read-call.ts'

export interface CallDraft {
  readonly tenant: string
  readonly id: string
  readonly principal: string
  readonly server: string
  readonly method: string
  readonly requestDigest: string
  readonly owner: string
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
    | { readonly kind: 'running' }
    | { readonly kind: 'finished'; readonly outcome: string; readonly atMs: number; readonly delivered: boolean }
    | { readonly kind: 'lost'; readonly atMs: number }
}

export class Calls {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Throws `store_unavailable` if the lease of the owner has ended. */
  async begin({ tenant, id, principal, server, method, requestDigest, owner }: CallDraft): Promise<void> {
    const row = { tenant, id, principal, server, method, request_digest: requestDigest, owner }
    try {
      if ((await this.#engine.runRepeatable(beginCall, row)).length === 0) throw leaseEnded(owner)
    } catch (error) {
      // The same call by the same owner was inserted before its connection broke.
      const isThere = error instanceof DuplicateKey && error.table === 'calls'
      const there = isThere ? await this.read(tenant, id, principal) : undefined
      if (there?.owner !== owner || there.requestDigest !== requestDigest) throw error
    }
  }

  /** The calls of this owner that still run. */
  async ofOwner(owner: string): Promise<readonly { readonly tenant: string; readonly id: string }[]> {
    return this.#engine.run(findRunning, { owner })
  }

  /**
   * False if the call was ended before; then this outcome must not be delivered either. Throws `store_unavailable` if the
   * call still runs and the lease of the owner has ended: the owner renews it and tries again.
   */
  async finish(tenant: string, id: string, owner: string, outcome: string): Promise<boolean> {
    const key = { tenant, id, owner, outcome }
    if ((await this.#engine.runRepeatable(finishCall, key)).length === 1) return true
    const [row] = await this.#engine.run(findUnfinished, key)
    if (row?.state === 'running') throw leaseEnded(owner)
    // The first run may have stored this outcome before its connection broke.
    return row?.is_stored === 1
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

function leaseEnded(owner: string): AssentError {
  return new AssentError(
    'store_unavailable',
    `The lease of the replica ${owner} has ended: it was not renewed in time.`,
  )
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
      atMs: row.ended_at ?? row.started_at,
      delivered: row.delivered_at !== null,
    }
  }
  return row.state === 'lost' ? { kind: 'lost', atMs: row.ended_at ?? row.started_at } : { kind: 'running' }
}
