// Periodic cleanup: records expired asks, deletes rows that are no longer needed. Separately: ends the calls of dead replicas.
//
// I1  Nothing depends on `sweep`: deadlines and expiry times are checked at every read. Callers of dead replicas wait for
//     `abandonLostCalls`. It may be called only by a replica that renewed its own lease without a gap for a full lease
//     period: after an outage of the store, live replicas have renewed theirs by then.
// I2  Any number of processes may sweep at once; each ask and call is still ended once.

import type { WithdrawReason } from '@assent/core'
import type { Asks } from './asks/asks.ts'
import { findDue, findOfEndedCall, findUndelivered } from './asks/find-asks.ts'
import type { Audit } from './audit/audit.ts'
import { deleteCalls } from './calls/delete-calls.ts'
import { abandonCall, findLost, loseCall } from './calls/lose-call.ts'
import { deleteClientSessions } from './client-sessions/read-session.ts'
import { deleteSettings } from './client-sessions/session-settings.ts'
import { deleteDeferred } from './deferred/read-deferred.ts'
import type { Engine } from './engine/engine.ts'
import { deleteExpiredIds } from './grants/used-ids.ts'
import { deleteOldMessages } from './outbox/finish-message.ts'
import { deleteReplicas } from './replicas/renew-lease.ts'
import { deleteRounds } from './rounds/read-round.ts'
import { deletePages } from './secrets/collect-page.ts'
import { deleteLinks, deleteSessions } from './sign-ins/delete-sign-ins.ts'
import { deleteExpiredSteps } from './steps/delete-steps.ts'

export interface CallKey {
  readonly tenant: string
  readonly id: string
}

export interface SweepResult {
  readonly expired: number
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

// Longer than the last attempt to send the message about an end.
const messagesKeptMs = 7 * 24 * 60 * 60 * 1_000

export async function sweep(engine: Engine, asks: Asks): Promise<SweepResult> {
  let expired = 0
  for (const { tenant, id } of await engine.run(findDue, { at_most: atMost })) {
    if ((await asks.expire(tenant, id)).kind === 'done') expired++
  }

  await asks.deleteUnsentSecrets(atMost)
  await asks.withdrawOfGoneSessions()
  const ids = await engine.run(deleteExpiredIds, { margin: clockSkewMs })
  const calls = await engine.run(deleteCalls, { kept: callsKeptMs + clockSkewMs })
  const deferred = await engine.run(deleteDeferred, { margin: clockSkewMs })
  const steps = await engine.run(deleteExpiredSteps, { margin: clockSkewMs })
  const links = await engine.run(deleteLinks, {})
  const sessions = await engine.run(deleteSessions, { keep_names: namesKeptMs })
  const ofClients = await engine.run(deleteClientSessions, { margin: clockSkewMs })
  const settings = await engine.run(deleteSettings, {})
  const pages = await engine.run(deletePages, {})
  const rounds = await engine.run(deleteRounds, { margin: clockSkewMs })
  const replicas = await engine.run(deleteReplicas, { margin: clockSkewMs })
  const messages = await engine.run(deleteOldMessages, { kept: messagesKeptMs })
  const all = [ids, calls, deferred, steps, links, sessions, ofClients, settings, pages, rounds, replicas, messages]
  const deleted = all.reduce((sum, rows) => sum + rows.length, 0)
  return { expired, deleted }
}

/** Marks the calls of dead replicas as lost and withdraws their asks. Returns the calls that were marked here. */
export async function abandonLostCalls(engine: Engine, asks: Asks, audit: Audit): Promise<readonly CallKey[]> {
  const lost: CallKey[] = []
  for (const { tenant, id, owner } of await engine.run(findLost, { at_most: atMost })) {
    const [call] = await engine.runRepeatable(loseCall, { tenant, id, ...audit.body({ owner }) })
    if (call !== undefined) lost.push({ tenant, id })
    await endAsksOf(engine, asks, { tenant, id }, 'owner-lost')
  }
  return lost
}

/** Marks a call as lost that this owner does not hold any more, if the call runs, and withdraws its asks. */
export async function abandonOwnCall(
  engine: Engine,
  asks: Asks,
  audit: Audit,
  { tenant, id, owner, reason }: CallKey & { readonly owner: string; readonly reason: WithdrawReason },
): Promise<void> {
  await engine.runRepeatable(abandonCall, { tenant, id, owner, ...audit.body({ owner }) })
  await endAsksOf(engine, asks, { tenant, id }, reason)
}

/**
 * Also when another process marked the call first: it may have died before this step. Nothing of a call that runs, whose
 * owner renewed its lease just before it was to be marked.
 */
async function endAsksOf(engine: Engine, asks: Asks, { tenant, id }: CallKey, reason: WithdrawReason): Promise<void> {
  for (const ask of await engine.run(findOfEndedCall, { tenant, call_id: id }))
    await asks.withdraw(tenant, ask.id, reason)
  for (const ask of await engine.run(findUndelivered, { tenant, call_id: id }))
    await asks.undelivered(tenant, ask.id, false)
}
