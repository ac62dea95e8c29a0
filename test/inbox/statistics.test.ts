// The statistics by policy and person.
import { actionDigest } from '@assent/core'
import { expect, test } from 'vitest'
import { tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment } from '../../test-kit/gateway/sample-asks.ts'
import { ann, testEnv } from './test-env.ts'

const env = testEnv()

test('[RECORD-11] the statistics page names a policy that approvers do not read', async () => {
  const inbox = await env.inbox()
  const ask = async (policies: readonly string[], action: 'accept' | 'decline') => {
    const draft = aDeployment()
    if (draft.question.kind !== 'approval') throw new Error('It is an approval.')
    const question = { ...draft.question, digest: actionDigest(draft.question.action), policies }
    const { id } = await inbox.store.asks.raise({ ...draft, question })
    await inbox.store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: { action } })
  }
  for (let n = 0; n < 5; n++) await ask(['production deploys'], 'accept')
  await ask(['refunds'], 'decline')
  const { page } = await env.visit(inbox)
  await page.getByRole('link', { name: 'Statistics' }).click()

  const chart = page.locator('.chart', { hasText: 'Which policies get a yes?' })
  await chart.getByText('“production deploys”: every ask was approved within two seconds, which').waitFor()
  expect(await chart.getByRole('row', { name: /production deploys/ }).textContent()).toContain(
    '5 of 5 (half\u00a0within\u00a01\u00a0s)',
  )
  expect(await chart.getByRole('row', { name: /refunds/ }).textContent()).toContain('0 of 1')
})
