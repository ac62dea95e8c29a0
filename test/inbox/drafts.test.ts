// What a person has written and not sent, in a real browser.
import type { Field } from '@assent/core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment, aForm, eitherOfUs } from '../../test-kit/gateway/sample-asks.ts'
import { ann, ben, testEnv, waitUntilActive, writeComment } from './test-env.ts'

const env = testEnv()
/** Another person whose name is that of Ann. */
const otherAnn = { principal: 'other-ann', groups: [] }
const fields: readonly Field[] = [
  { kind: 'text', name: 'name', title: 'Name', required: true, default: 'Night drive' },
  { kind: 'text', name: 'year', title: 'Year', required: true },
]
const draftsOf = (page: Page) => page.evaluate(() => localStorage.getItem('assent-drafts'))
const aKey = `ghp_${'a1B2'.repeat(9)}`
/** Longer than it takes to store a draft. */
const storedMs = 600

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

test('[INBOX-22] without a clipboard, as over plain http, the message for the agent is shown', async () => {
  const inbox = await env.inbox()
  const late = await inbox.store.asks.raise(aDeployment({ decideWithinMs: 1_000 }))
  const { page } = await env.visit(inbox)
  await page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
  await page.goto(`${inbox.url}/asks/${late.id}`)
  await page.locator('.late-note').getByText('I did not answer in time: "Deploy to production" Please ask me').waitFor()
  expect(await page.getByRole('button', { name: 'Copy a message for the agent' }).count()).toBe(0)
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
  const drafts = () => page.evaluate(() => localStorage.getItem('assent-drafts'))
  await expect.poll(drafts).toBe('[]')
  await page.waitForTimeout(600)
  expect(await drafts()).toBe('[]')

  await writeComment(page, 'an ordinary reason')
  await expect.poll(drafts).toContain('an ordinary reason')
  await page.getByRole('button', { name: 'Ann Lee' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  expect(await drafts()).toBeNull()
})

test.each([
  ['who signs in', ben, 'Ben Okafor'],
  ['who signs in under the same name', otherAnn, 'Ann Lee'],
])(
  '[INBOX-22] a draft is not shown to the next person %s with the same browser, and is deleted',
  async (_, next, name) => {
    const inbox = await env.inbox()
    const { id } = await inbox.store.asks.raise(
      aDeployment({ approvalRule: { ...eitherOfUs, approvers: ['person:ann', `person:${next.principal}`] } }),
    )
    const { page } = await env.visit(inbox, ann)
    await page.goto(`${inbox.url}/asks/${id}`)
    await waitUntilActive(page)
    await writeComment(page, 'not before Monday')
    await expect.poll(() => draftsOf(page)).toContain('not before Monday')
    // Her session ends without a sign-out.
    await page.evaluate(`new Promise((done) => {
    indexedDB.deleteDatabase('assent').onsuccess = done
  })`)
    await page.goto(await inbox.linkFor(next))
    await page.getByRole('button', { name }).waitFor()
    await page.goto(`${inbox.url}/asks/${id}`)
    await waitUntilActive(page)
    expect(await page.locator('textarea[data-comment]').count()).toBe(0)
    expect(await page.getByText('You began to answer this question before.').count()).toBe(0)
    await expect.poll(() => draftsOf(page)).not.toContain('not before Monday')

    await writeComment(page, 'fine by me')
    await expect.poll(() => draftsOf(page)).toContain('fine by me')
    await page.reload()
    await waitUntilActive(page)
    expect(await page.locator('textarea[data-comment]').inputValue()).toBe('fine by me')
  },
)

test('[INBOX-22] a comment that was cleared is deleted, and a draft that is only offered stays', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aDeployment())
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/${id}`)
  await waitUntilActive(page)
  await writeComment(page, 'not before Monday')
  await expect.poll(() => draftsOf(page)).toContain('not before Monday')
  await page.locator('textarea[data-comment]').fill('')
  await expect.poll(() => draftsOf(page)).toBe('[]')
  await page.reload()
  await waitUntilActive(page)
  expect(await page.locator('textarea[data-comment]').count()).toBe(0)

  // Also one that an earlier visit of the page stored.
  await writeComment(page, 'not before Tuesday')
  await expect.poll(() => draftsOf(page)).toContain('not before Tuesday')
  await page.reload()
  await waitUntilActive(page)
  await page.locator('textarea[data-comment]').fill('')
  await expect.poll(() => draftsOf(page)).toBe('[]')

  await writeComment(page, 'not before Friday')
  await expect.poll(() => draftsOf(page)).toContain('not before Friday')
  const again = await inbox.store.asks.raise(aDeployment())
  await page.goto(`${inbox.url}/asks/${again.id}`)
  await page.getByText('You began to answer this question before.').waitFor()
  await page.waitForTimeout(storedMs)
  expect(await draftsOf(page)).toContain('not before Friday')
})

test('[INBOX-22] a text that looks like a secret is not stored until it is replaced, whatever else is typed', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aForm('How do you sign in?', fields.slice(1)))
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/${id}`)
  await waitUntilActive(page)
  await page.getByLabel('Year').fill(aKey)
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByRole('button', { name: 'Send it anyway' }).waitFor()
  await writeComment(page, 'as discussed')
  await expect.poll(() => draftsOf(page)).toContain('as discussed')
  expect(await draftsOf(page)).not.toContain('ghp_')
  // It still has the key.
  await page.getByLabel('Year').fill(`${aKey} from the vault`)
  await page.waitForTimeout(storedMs)
  expect(await draftsOf(page)).not.toContain('ghp_')
  expect(await draftsOf(page)).not.toContain('vault')

  await page.getByLabel('Year').fill('1999')
  await expect.poll(() => draftsOf(page)).toContain('1999')
  expect(await draftsOf(page)).toContain('as discussed')
})

test('[INBOX-23] a page that fails shows an error, and the other pages still work', async () => {
  const inbox = await env.inbox()
  await inbox.store.asks.raise(aDeployment())
  const { context } = await env.visit(inbox)
  const page = await context.newPage()
  await page.route('**/api/statistics*', (route) => route.fulfill({ json: { nowMs: Date.now() } }))
  await page.goto(inbox.url)
  await page.getByRole('link', { name: 'Statistics' }).click()
  await page.getByText('This page could not be shown.').waitFor()
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.locator('.card').waitFor()
})
