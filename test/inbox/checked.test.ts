// The card of a question with facts that Assent checked itself, in a real browser.
import { checkedBlock } from '@assent/core'
import { expect, test } from 'vitest'
import { aForm, forms } from '../../test-kit/gateway/sample-asks.ts'
import { testEnv, waitUntilActive } from './test-env.ts'

const env = testEnv()

test('[POINT-16] the card shows what Assent checked in its own block, apart from what the agent says', async () => {
  const inbox = await env.inbox()
  const checked = '- There is no new commit since the phase began.'
  const message = `Phase 1 is done.\n\n${checkedBlock(checked)}\n\nAll is committed.`
  const draft = aForm(message, forms.formats?.fields ?? [])
  const question = { ...draft.question, checked } as typeof draft.question
  const { id } = await inbox.store.asks.raise({ ...draft, question })
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/${id}`)
  await waitUntilActive(page)

  const block = page.getByRole('region', { name: 'Checked by Assent', exact: true })
  expect(await block.getByRole('listitem').textContent()).toBe('There is no new commit since the phase began.')
  expect(await block.textContent()).not.toContain('Not checked')
  const claim = page.locator('.claim')
  expect(await claim.textContent()).toContain('Not checked by Assent')
  expect(await claim.textContent()).toContain('All is committed.')
  expect(await claim.textContent()).not.toContain('no new commit')
  // It is already the card's title.
  expect(await page.getByRole('heading', { name: 'Phase 1 is done.' }).count()).toBe(1)
  expect(await claim.textContent()).not.toContain('Phase 1 is done.')
})
