// Two gateways on PostgreSQL, three people with accounts, an ordinary server: the same run as `npm run prove -- approval`.
import { expect, onTestFinished, test } from 'vitest'
import { Checks } from '../../proofs/approval/checks.ts'
import { playApproval } from '../../proofs/approval/scenario.ts'
import { openTeam } from '../../proofs/approval/team.ts'
import { aBrowser } from '../../test-kit/chromium.ts'

test('[POLICY-30] [POLICY-31] [POLICY-32] [MESSAGE-2] [MESSAGE-10] two release managers approve a call at two gateways and it runs once, the requester cannot, and one decline ends another call', async () => {
  const team = await openTeam()
  onTestFinished(() => team.close())
  const browser = await aBrowser()
  onTestFinished(() => browser.close())
  const checks = new Checks()

  await playApproval(team, browser, { revisions: ['2026-07-28', '2025-11-25'] }, checks)

  expect(checks.failed).toEqual([])
  expect(checks.all.length).toBeGreaterThan(30)
}, 300_000)
