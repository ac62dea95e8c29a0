// The card of a question that names what Assent checked itself, in a real browser.
import { checkedBlock } from '@assent/core'
import { expect, test } from 'vitest'
import { aForm, forms } from '../../scripts/inbox/samples.ts'
import { aPlace, settleDown } from './visit.ts'

const place = aPlace()

test('[POINT-16] the card shows what Assent checked in its own block, apart from what the agent says', async () => {
  const desk = await place.desk()
  const checked = '- There is no new commit since the phase began.'
  const message = `Phase 1 is done.\n\n${checkedBlock(checked)}\n\nAll is committed.`
  const draft = aForm(message, forms.formats?.fields ?? [])
  const question = { ...draft.question, checked } as typeof draft.question
  const { id } = await desk.store.asks.raise({ ...draft, question })
  const { page } = await place.visit(desk)
  await page.goto(`${desk.url}/asks/${id}`)
  await settleDown(page)

  const block = page.getByRole('region', { name: 'Checked by Assent', exact: true })
  expect(await block.textContent()).toContain(checked)
  expect(await block.textContent()).not.toContain('not checked')
  const claim = page.locator('.claim')
  expect(await claim.textContent()).toContain('not checked by Assent')
  expect(await claim.textContent()).toContain('All is committed.')
  expect(await claim.textContent()).not.toContain('no new commit')
  // The title of the card says it already.
  expect(await page.getByRole('heading', { name: 'Phase 1 is done.' }).count()).toBe(1)
  expect(await claim.textContent()).not.toContain('Phase 1 is done.')
})
