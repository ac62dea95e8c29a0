// What a person has written and not sent, in a real browser.
import type { Field } from '@assent/core'
import { expect, test } from 'vitest'
import { tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment, aForm } from '../../test-kit/gateway/sample-asks.ts'
import { testEnv, waitUntilActive, writeComment } from './test-env.ts'

const env = testEnv()
const fields: readonly Field[] = [
  { kind: 'text', name: 'name', title: 'Name', required: true, default: 'Night drive' },
  { kind: 'text', name: 'year', title: 'Year', required: true },
]

test('[INBOX-22] a draft survives a reload, and is gone once it is sent', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aForm('What shall it be called?', fields))
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/${id}`)
  await page.getByLabel('Year').fill('1999')
  await page.getByRole('button', { name: 'Use the suggestion for Name' }).click()
  await writeComment(page, 'as discussed')
  await page.waitForTimeout(600)
  await page.reload()
  await waitUntilActive(page)
  expect(await page.getByLabel('Year').inputValue()).toBe('1999')
  expect(await page.getByLabel('Name').inputValue()).toBe('Night drive')
  expect(await page.getByLabel('Comment').inputValue()).toBe('as discussed')

  await page.getByRole('button', { name: 'Answer' }).click()
  await page.locator('.settled').waitFor()
  expect(await page.evaluate(() => localStorage.getItem('assent-drafts'))).toBe('[]')
})

test('[INBOX-22] after an ask has expired its draft can be copied, and is offered when the question is asked again', async () => {
  const inbox = await env.inbox()
  const late = await inbox.store.asks.raise(aDeployment({ decideWithinMs: 20_000 }))
  const { page, context } = await env.visit(inbox)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${inbox.url}/asks/${late.id}`)
  await writeComment(page, 'not before Monday')
  await page.getByText('Expired without an answer').waitFor()
  await page.getByText('You had written').waitFor()
  await page.getByRole('button', { name: 'Copy a message for the agent' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const note = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(note).toContain('I would have answered: not before Monday')

  const again = await inbox.store.asks.raise(aDeployment())
  await page.goto(`${inbox.url}/asks/${again.id}`)
  await page.getByText('You began to answer this question before.').waitFor()
  await page.getByRole('button', { name: 'Use what you wrote' }).click()
  await waitUntilActive(page)
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.locator('.settled').waitFor()
  const state = (await inbox.store.asks.read(tenant, again.id))?.state
  expect(state).toMatchObject({ answer: { action: 'decline', comment: 'not before Monday' } })
})

test('[INBOX-22] nothing that looks like a secret is kept, and a sign-out deletes all drafts', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aDeployment())
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/${id}`)
  await waitUntilActive(page)
  await writeComment(page, `use ghp_${'a1B2'.repeat(9)}`)
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.getByRole('button', { name: 'Send it anyway' }).waitFor()
  await page.waitForTimeout(600)
  expect(await page.evaluate(() => localStorage.getItem('assent-drafts'))).toBe('[]')

  await writeComment(page, 'an ordinary reason')
  await page.waitForTimeout(600)
  expect(await page.evaluate(() => localStorage.getItem('assent-drafts'))).toContain('an ordinary reason')
  await page.getByRole('button', { name: 'Ann Lee' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  expect(await page.evaluate(() => localStorage.getItem('assent-drafts'))).toBeNull()
})

test('[INBOX-23] a page that fails shows an error, and the other pages still work', async () => {
  const inbox = await env.inbox()
  await inbox.store.asks.raise(aDeployment())
  const { context } = await env.visit(inbox)
  const page = await context.newPage()
  await page.route('**/api/figures*', (route) => route.fulfill({ json: { nowMs: Date.now() } }))
  await page.goto(inbox.url)
  await page.getByRole('link', { name: 'Statistics' }).click()
  await page.getByText('This page could not be shown.').waitFor()
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.locator('.card').waitFor()
})
