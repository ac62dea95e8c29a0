// Comments, and the labels of answers, in a real browser.
import { boolean, choice, form, optional, text } from '@assent/core'
import { expect, test } from 'vitest'
import { tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aForm } from '../../test-kit/gateway/sample-asks.ts'
import { answerFromMenu, testEnv, waitUntilActive, writeComment } from './test-env.ts'

const env = testEnv()
const confirm = form({ confirmed: boolean({ title: 'Yes' }) }).fields
const plan = form({
  decision: choice({ approve: 'Approve', request_changes: 'Request changes', cancel: 'Cancel' }, { title: 'Decision' }),
  feedback: optional(text({ title: 'Feedback', maxLength: 1_000 })),
}).fields
const shots = process.env.ASSENT_TEST_SHOTS

test('[REPLY-7] the comment field shows who will receive a comment, and the card afterwards who received it', async () => {
  const inbox = await env.inbox()
  const ours = await inbox.store.asks.raise(aForm('Delete build/?', confirm, { commentReaches: 'asker' }))
  const other = await inbox.store.asks.raise(aForm('Force-push the branch?', confirm))
  for (const [size, options] of Object.entries(looks)) {
    const { page } = await env.visit(inbox, undefined, options)
    for (const [name, { id }] of Object.entries({ ours, other })) {
      await page.goto(`${inbox.url}/asks/${id}`)
      await page.getByRole('button', { name: 'Add a comment' }).click()
      await page.getByLabel('Comment').waitFor()
      if (shots !== undefined) await page.screenshot({ path: `${shots}/open-${name}-${size}.png` })
    }
  }
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/${ours.id}`)
  await waitUntilActive(page)
  await writeComment(page, 'CI is red')
  await page.getByText('Will be sent to studio.', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'No', exact: true }).click()
  await page.getByText('Comment, sent to the agent').waitFor()

  await page.goto(`${inbox.url}/asks/${other.id}`)
  await waitUntilActive(page)
  await writeComment(page, 'rebase first')
  await page.getByText('Not sent to the agent; kept in the audit log.', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'No', exact: true }).click()
  await page.getByText('Comment, not sent to the agent').waitFor()
  expect(await page.locator('body').textContent()).not.toMatch(/was told/)
})

test('[REPLY-6] an answer of No has no check mark, and is shown as the question with its answer', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aForm('Delete the five artifacts in build/?', confirm))
  const answer = { action: 'accept', content: { confirmed: false }, comment: 'keep the last one' }
  await inbox.store.asks.answer({ tenant, id, person: { principal: 'ann', groups: [] }, via: 'inbox', answer })
  for (const [size, options] of Object.entries(looks)) {
    const { page } = await env.visit(inbox, undefined, options)
    await page.goto(`${inbox.url}/history/${id}`)
    await page.getByText(/You answered No/).waitFor()
    expect(await page.locator('.outcome-mark').textContent()).toBe('✕')
    expect(await page.locator('.settled dt').textContent()).toBe('Delete the five artifacts in build/?')
    expect(await page.locator('.settled dd').textContent()).toBe('No')
    if (shots !== undefined) await page.screenshot({ path: `${shots}/no-${size}.png` })
    await page.goto(`${inbox.url}/history`)
    await page.getByText('No by you', { exact: false }).waitFor()
    expect(await page.locator('.row [data-outcome=no]').textContent()).toMatch(/^✕ No by you/)
    if (shots !== undefined) await page.screenshot({ path: `${shots}/history-${size}.png` })
    await page.goto(`${inbox.url}/statistics`)
    await page.getByText('Of 1, 0 ended with a yes and 1 with a no.').waitFor()
    if (shots !== undefined) await page.screenshot({ path: `${shots}/statistics-${size}.png` })
  }
})

test('[REPLY-10] a form with a comment field of its own has no second one, and a decline sends that field as the comment', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aForm('Approve this plan?', plan, { commentReaches: 'asker' }))
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/${id}`)
  await waitUntilActive(page)
  expect(await page.locator('.answer-form textarea').count()).toBe(1)
  if (shots !== undefined) await page.screenshot({ path: `${shots}/plan-wide.png` })
  await page.getByLabel('Feedback').fill('wrong approach, use FTS5')
  await answerFromMenu(page, 'Decline to answer')
  await page.getByText(/You declined this/).waitFor()
  const { state } = (await inbox.store.asks.read(tenant, id)) ?? {}
  expect(state).toMatchObject({ answer: { action: 'decline', comment: 'wrong approach, use FTS5' } })
})

test('[REPLY-8] a comment that looks like a secret is sent only after the person confirms it', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aForm('Delete build/?', confirm, { commentReaches: 'asker' }))
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/${id}`)
  await waitUntilActive(page)
  await writeComment(page, `use ghp_${'a1B2'.repeat(9)}`)
  await page.getByRole('button', { name: 'No', exact: true }).click()
  await page.getByText(/The comment looks like the key of a service/).waitFor()
  if (shots !== undefined) await page.screenshot({ path: `${shots}/secret-comment.png` })
  expect((await inbox.store.asks.read(tenant, id))?.state.kind).toBe('open')
  await page.getByRole('button', { name: 'Send it anyway' }).click()
  await page.getByText(/You answered No/).waitFor()
})

const looks = {
  'wide-light': { colorScheme: 'light' },
  'phone-dark': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
} as const
