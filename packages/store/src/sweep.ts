// Periodic cleanup: records expired asks, abandons calls of dead replicas, deletes rows that are no longer needed.
//
// I1  Nothing depends on a sweep: deadlines, leases and expiry times are checked at every read.
// I2  Any number of processes may sweep at once; each ask and call is still ended once.

import type { Asks } from './asks/asks.ts'
import { findUndelivered } from './asks/deliver-ask.ts'
import { findDue, findOfCall } from './asks/find-asks.ts'
import type { Audit } from './audit/audit.ts'
import { deleteCalls } from './calls/delete-calls.ts'
import { findLost, loseCall } from './calls/lose-call.ts'
import { deleteClientSessions } from './client-sessions/read-session.ts'
import { deleteSettings } from './client-sessions/session-settings.ts'
import { deleteDeferred } from './deferred/read-deferred.ts'
import type { Engine } from './engine/engine.ts'
import { deleteExpiredIds } from './grants/used-ids.ts'
import { deleteMessages } from './messages/read-messages.ts'
import { deleteReplicas } from './replicas/renew-lease.ts'
import { deleteRounds } from './rounds/read-round.ts'
import { deletePages } from './secrets/collect-page.ts'
import { deleteLinks, deleteSessions } from './sign-ins/delete-sign-ins.ts'
import { deleteExpiredSteps } from './steps/delete-steps.ts'

export interface SweepResult {
  readonly expired: number
  /** Calls whose owner is dead; the asks they waited for are withdrawn. */
  readonly lost: readonly { readonly tenant: string; readonly id: string }[]
  /** Rows deleted. */
  readonly deleted: number
}

const atMost = 1_000
// A replica whose clock runs behind may still consider a state valid for a while after it expired here.
const clockSkewMs = 24 * 60 * 60 * 1_000
// A person's name is shown to others for a month after their last session expired.
const namesKeptMs = 30 * 24 * 60 * 60 * 1_000

// The outcome of a held call can be fetched while its caller's state or handle is valid: at most fourteen days for the person to
// decide, and a day.
const callsKeptMs = 15 * 24 * 60 * 60 * 1_000

export async function sweep(engine: Engine, asks: Asks, audit: Audit): Promise<SweepResult> {
  let expired = 0
  for (const { tenant, id } of await engine.run(findDue, { at_most: atMost })) {
    if ((await asks.expire(tenant, id)).kind === 'done') expired++
  }

  await asks.deleteUnsentSecrets(atMost)
  const lost = await abandonLostCalls(engine, asks, audit)
  await asks.withdrawOfGoneSessions()
  const ids = await engine.run(deleteExpiredIds, { margin: clockSkewMs })
  const calls = await engine.run(deleteCalls, { kept: callsKeptMs + clockSkewMs })
  const deferred = await engine.run(deleteDeferred, { margin: clockSkewMs })
  const steps = await engine.run(deleteExpiredSteps, { margin: clockSkewMs })
  const links = await engine.run(deleteLinks, {})
  const sessions = await engine.run(deleteSessions, { keep_names: namesKeptMs })
  const ofClients = await engine.run(deleteClientSessions, { margin: clockSkewMs })
  const settings = await engine.run(deleteSettings, {})
  const messages = await engine.run(deleteMessages, {})
  const pages = await engine.run(deletePages, {})
  const rounds = await engine.run(deleteRounds, { margin: clockSkewMs })
  const replicas = await engine.run(deleteReplicas, { margin: clockSkewMs })
  const all = [ids, calls, deferred, steps, links, sessions, ofClients, settings, messages, pages, rounds, replicas]
  const deleted = all.reduce((sum, rows) => sum + rows.length, 0)
  return { expired, lost, deleted }
}

/** Abandons calls whose owner's lease has ended, and withdraws their asks. */
export async function abandonLostCalls(engine: Engine, asks: Asks, audit: Audit): Promise<SweepResult['lost']> {
  const lost: { tenant: string; id: string }[] = []
  for (const { tenant, id, owner } of await engine.run(findLost, { at_most: atMost })) {
    await audit.begin(tenant)
    const [call] = await engine.runRepeatable(loseCall, { tenant, id, ...audit.body({ owner }) })
    if (call !== undefined) lost.push({ tenant, id })
    // Even if another process abandoned the call first: it may have died before this step.
    for (const ask of await engine.run(findOfCall, { tenant, call_id: id })) {
      await asks.withdraw(tenant, ask.id, 'owner-lost')
    }
    for (const ask of await engine.run(findUndelivered, { tenant, call_id: id })) {
      await asks.undelivered(tenant, ask.id, false)
    }
  }
  return lost
}
