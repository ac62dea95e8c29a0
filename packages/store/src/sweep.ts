// Tidies up behind the clock: records what has expired, gives up calls whose owner fell silent, forgets what can no longer
// be replayed.
//
// Nothing waits for a sweep: deadlines, leases and expiries are judged at every reading. Any number of processes may
// sweep at once; each ask and call is still ended once.

import type { Asks } from './asks/asks.ts'
import { findUndelivered } from './asks/deliver-ask.ts'
import { findDue, findOfCall } from './asks/find-asks.ts'
import type { Audit } from './audit/audit.ts'
import { forgetCalls } from './calls/forget-calls.ts'
import { findLost, loseCall } from './calls/lose-call.ts'
import { forgetDeferred } from './deferred/read-deferred.ts'
import type { Engine } from './engine/engine.ts'
import { forgetExpiredIds } from './grants/used-ids.ts'
import { forgetLetters } from './letters/read-letters.ts'
import { forgetReplicas } from './replicas/renew-lease.ts'
import { forgetRounds } from './rounds/read-round.ts'
import { forgetPages } from './secrets/collect-page.ts'
import { forgetClientSessions } from './sessions/read-session.ts'
import { forgetWishes } from './sessions/wishes.ts'
import { forgetLinks, forgetSessions } from './sign-ins/forget-sign-ins.ts'
import { forgetExpiredSteps } from './steps/forget-steps.ts'

export interface Swept {
  readonly expired: number
  /** Calls whose owner is gone; the asks they waited for are withdrawn. */
  readonly lost: readonly { readonly tenant: string; readonly id: string }[]
  readonly forgotten: number
}

const atMost = 1_000
// A replica whose clock runs behind may still consider a state valid for a while after it expired here.
const clockSkewMs = 24 * 60 * 60 * 1_000
// After its person was last signed in, a name is shown to others for a month.
const namesKeptMs = 30 * 24 * 60 * 60 * 1_000

// What came of a held call can be fetched while the state or the handle of its caller is valid: a person's time, which is
// fourteen days at most, and a day.
const callsKeptMs = 15 * 24 * 60 * 60 * 1_000

export async function sweep(engine: Engine, asks: Asks, audit: Audit): Promise<Swept> {
  let expired = 0
  for (const { tenant, id } of await engine.run(findDue, { at_most: atMost })) {
    if ((await asks.expire(tenant, id)).kind === 'done') expired++
  }

  await asks.deleteUnsentSecrets(atMost)
  const lost = await giveUpSilent(engine, asks, audit)
  await asks.withdrawOfGoneSessions()
  const ids = await engine.run(forgetExpiredIds, { margin: clockSkewMs })
  const calls = await engine.run(forgetCalls, { kept: callsKeptMs + clockSkewMs })
  const deferred = await engine.run(forgetDeferred, { margin: clockSkewMs })
  const steps = await engine.run(forgetExpiredSteps, { margin: clockSkewMs })
  const links = await engine.run(forgetLinks, {})
  const sessions = await engine.run(forgetSessions, { keep_names: namesKeptMs })
  const ofClients = await engine.run(forgetClientSessions, { margin: clockSkewMs })
  const wishes = await engine.run(forgetWishes, {})
  const letters = await engine.run(forgetLetters, {})
  const pages = await engine.run(forgetPages, {})
  const rounds = await engine.run(forgetRounds, { margin: clockSkewMs })
  const replicas = await engine.run(forgetReplicas, { margin: clockSkewMs })
  const all = [ids, calls, deferred, steps, links, sessions, ofClients, wishes, letters, pages, rounds, replicas]
  const forgotten = all.reduce((sum, rows) => sum + rows.length, 0)
  return { expired, lost, forgotten }
}

/** Gives up the calls whose owner has fallen silent, and withdraws what they asked. */
export async function giveUpSilent(engine: Engine, asks: Asks, audit: Audit): Promise<Swept['lost']> {
  const lost: { tenant: string; id: string }[] = []
  for (const { tenant, id, owner } of await engine.run(findLost, { at_most: atMost })) {
    await audit.begin(tenant)
    const [call] = await engine.runRepeatable(loseCall, { tenant, id, ...audit.body({ owner }) })
    if (call !== undefined) lost.push({ tenant, id })
    // Also when another process was quicker: it may have died before it came this far.
    for (const ask of await engine.run(findOfCall, { tenant, call_id: id })) {
      await asks.withdraw(tenant, ask.id, 'owner-lost')
    }
    for (const ask of await engine.run(findUndelivered, { tenant, call_id: id })) {
      await asks.undelivered(tenant, ask.id, false)
    }
  }
  return lost
}
