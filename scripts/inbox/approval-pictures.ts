// Pictures of a call that two people have to approve: the run of `npm run prove -- approval`, on a wide screen and on a phone.
import type { Browser, Page } from 'playwright-core'
import { Checks } from '../../proofs/approval/checks.ts'
import { playApproval } from '../../proofs/approval/scenario.ts'
import { openTeam } from '../../proofs/approval/team.ts'

const looks = {
  'wide-light': { viewport: { width: 1120, height: 780 }, colorScheme: 'light' },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
} as const

/** Needs PostgreSQL. */
export async function approvalPictures(
  browser: Browser,
  save: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  const checks = new Checks()
  for (const [look, options] of Object.entries(looks)) {
    // Each time a new team, so that no picture shows the asks of another one.
    const team = await openTeam()
    try {
      await playApproval(
        team,
        browser,
        {
          revisions: ['2025-11-25', '2026-07-28'],
          look: options,
          save: (page, view) => save(page, `approval-${view}-${look}`),
        },
        checks,
      )
    } finally {
      await team.close()
    }
  }
  if (checks.failed.length > 0) throw new Error(JSON.stringify(checks.failed))
}
