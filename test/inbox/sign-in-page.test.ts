// Signing in and out in a real browser, where something goes wrong first.
import { expect, onTestFinished, test } from 'vitest'
import { aDeployment } from '../../test-kit/gateway/sample-asks.ts'
import { ann, testEnv, waitUntilActive, writeComment } from './test-env.ts'

const env = testEnv()

test('[PAGE-7] a sign-out that fails is reported and can be tried again, and drafts stay until it succeeds', async () => {
  const inbox = await env.inbox()
  await inbox.store.asks.raise(aDeployment())
  const { page } = await env.visit(inbox)
  await waitUntilActive(page)
  await writeComment(page, 'not before Monday')
  const drafts = () => page.evaluate(() => localStorage.getItem('assent-drafts'))
  await expect.poll(drafts).toContain('not before Monday')
  const problem = { code: 'unavailable', message: 'The store cannot be reached.' }
  await page.route('**/api/sign-out', (route) => route.fulfill({ status: 503, json: problem }))

  await page.getByRole('button', { name: 'Ann Lee' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('alert').getByText('You are not signed out yet. Try again.').waitFor()
  expect(await drafts()).toContain('not before Monday')

  await page.unroute('**/api/sign-out')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  expect(await drafts()).toBeNull()
})

test('[PAGE-7] a person whose session has ended can sign out', async () => {
  const inbox = await env.inbox()
  const { page } = await env.visit(inbox)
  const problem = { code: 'signed-out', message: 'Sign in first.' }
  await page.route('**/api/sign-out', (route) => route.fulfill({ status: 401, json: problem }))
  await page.getByRole('button', { name: 'Ann Lee' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
})

test('[PAGE-8] a second sign-in link that is pasted into the same tab signs in, and its code leaves the address', async () => {
  const inbox = await env.inbox()
  const { context } = await env.visit(inbox)
  const used = await inbox.linkFor(ann)
  const first = await context.newPage()
  await first.goto(used)
  await first.getByText('Nothing is waiting for you.').waitFor()

  const elsewhere = await context.browser()?.newContext()
  onTestFinished(() => elsewhere?.close())
  const page = await elsewhere?.newPage()
  if (page === undefined) throw new Error('The browser is closed.')
  await page.goto(used)
  await page.getByText('This link is no longer valid.').waitFor({ timeout: 60_000 })
  await page.evaluate('globalThis.isSamePage = true')
  await page.goto(await inbox.linkFor(ann))
  await page.getByRole('button', { name: 'Ann Lee' }).waitFor({ timeout: 60_000 })
  await page.waitForURL(`${inbox.url}/`)
  // Nothing was loaded: the browser changed only the fragment.
  expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
})
