// Proof: a call of an ordinary server that never asks runs once, and only after two release managers have approved it.
//
// Real parts only: two gateway processes on PostgreSQL, people who sign in at an OpenID provider in Chromium, clients of both
// generations, a mail server, and a receiver that verifies the signatures of webhooks. The requester tries to approve in every
// way, and a robot opens every link and submits every form of the messages.
import type { Measurement } from '../../scripts/measurement.ts'
import { aBrowser } from '../../test-kit/chromium.ts'
import type { Revision } from '../../test-kit/revisions.ts'
import { Checks } from './checks.ts'
import { playApproval } from './scenario.ts'
import { openTeam } from './team.ts'

const rounds: readonly (readonly [Revision, Revision])[] = [
  ['2025-11-25', '2026-07-28'],
  ['2026-07-28', '2025-11-25'],
]

export const run: Measurement = async ({ quick }) => {
  const checks = new Checks()
  const played = quick ? rounds.slice(0, 1) : rounds
  const [team, browser] = await Promise.all([openTeam(), aBrowser()])
  try {
    for (const revisions of played) await playApproval(team, browser, { revisions }, checks)
  } finally {
    await browser.close()
    await team.close()
  }
  for (const [what, times] of Map.groupBy(checks.all, (check) => check.what)) {
    const failed = times.filter(({ ok }) => !ok)
    console.log(`  ${failed.length === 0 ? 'ok    ' : 'FAILED'} ${what}`)
    for (const { found } of failed) console.log(`         found: ${JSON.stringify(found)}`)
  }
  return {
    reached: checks.failed.length === 0,
    figure:
      `approval: ${played.length * 2} calls by clients of both generations, ${played.length} approved by two people and run once each, ` +
      `${played.length} declined and not run; ${checks.all.length} checks, ${checks.failed.length} failed`,
  }
}
