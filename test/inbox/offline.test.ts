// While the inbox cannot be reached: each page says so in one place, keeps what was loaded, sends nothing, and recovers by itself.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type InboxServer, tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment, aForm, raiseSamples, raiseSecret } from '../../test-kit/gateway/sample-asks.ts'
import { ann, approveByKey, testEnv, waitUntilActive, waitUntilLive, writeComment } from './test-env.ts'

const env = testEnv({ hasOutages: true })
const banner = 'The inbox cannot be reached. This page reconnects by itself.'

/** The banner is there once, and no text contradicts it. */
async function expectLost(page: Page): Promise<void> {
  await page.getByText(banner).waitFor()
  expect(await page.getByText('cannot be reached').count()).toBe(1)
  expect(await page.getByText('waiting for you.').count()).toBe(0)
  expect(((await page.locator('main').textContent()) ?? '').trim()).not.toBe('')
}

async function recover(inbox: InboxServer, page: Page): Promise<void> {
  await inbox.start()
  await page.getByText(banner).waitFor({ state: 'detached' })
  await waitUntilLive(page)
}

test('[PAGE-5] each page keeps what was loaded while the inbox cannot be reached, sends nothing, and recovers without a reload', async () => {
  const inbox = await env.inbox()
  const ids = await raiseSamples(inbox.store)
  await inbox.store.asks.answer({
    tenant,
    id: ids.text ?? '',
    person: ann,
    via: 'inbox',
    answer: { action: 'decline' },
  })
  const { page } = await env.visit(inbox)
  await waitUntilLive(page)
  await page.evaluate('globalThis.isSamePage = true')
  await page.getByRole('link', { name: 'Statistics' }).click()
  await page.getByText('Of 2, 0 ended with a yes and 2 with a no.').waitFor()
  await page.getByRole('link', { name: 'Inbox' }).click()
  await waitUntilActive(page)
  await writeComment(page, 'written before')
  await page.keyboard.press('Escape')

  await inbox.stop()
  await expectLost(page)
  // The open card is readable, and neither button nor key sends.
  expect(await page.locator('.card h2').textContent()).toBe('Deploy to production')
  for (const name of ['Approve', 'Decline'])
    expect(await page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true)
  await page.keyboard.press('n')
  expect(await page.locator('textarea[data-comment]').inputValue()).toBe('written before')
  // A card that was not loaded, and the list beside it.
  await page.locator('.row', { hasText: 'Pick a variation.' }).click()
  await page.getByText('Not loaded yet.').waitFor()
  await expectLost(page)
  // A page that was not loaded.
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByText('Not loaded yet.').waitFor()
  await expectLost(page)
  // A page that was.
  await page.getByRole('link', { name: 'Statistics' }).click()
  await page.getByText('Of 2, 0 ended with a yes and 2 with a no.').waitFor()
  await page.getByText('7 days').click()
  await page.getByText('Not loaded yet.').waitFor()
  await expectLost(page)
  await page.getByText('If no agent is running, start the inbox with npx assent inbox open.').waitFor()

  await recover(inbox, page)
  await page.getByText('Of 2, 0 ended with a yes and 2 with a no.').waitFor()
  await page.getByRole('link', { name: 'History' }).click()
  await page.locator('.row').nth(1).waitFor()
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.locator('.row', { hasText: 'Deploy to production' }).first().click()
  await waitUntilActive(page)
  expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(false)
  expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
})

test('[PAGE-5] an empty list that cannot be read again is not shown as empty, and a secret page stays', async () => {
  const inbox = await env.inbox()
  const { page } = await env.visit(inbox)
  await page.getByText('Nothing is waiting for you.').waitFor()
  await waitUntilLive(page)
  await inbox.stop()
  await expectLost(page)
  await inbox.store.asks.raise(aDeployment())
  await recover(inbox, page)
  await page.locator('.row', { hasText: 'Deploy to production' }).waitFor()

  const secret = await raiseSecret(inbox.store, inbox.url)
  await page.goto(`${inbox.url}/secret/${secret.page}`)
  await page.getByLabel('Secret', { exact: true }).fill('npm_0123456789abcdef')
  await waitUntilLive(page)
  await inbox.stop()
  await expectLost(page)
  expect(await page.getByRole('button', { name: 'Send secret' }).isDisabled()).toBe(true)
  await recover(inbox, page)
  expect(await page.getByLabel('Secret', { exact: true }).inputValue()).toBe('npm_0123456789abcdef')
  await page.getByRole('button', { name: 'Send secret' }).click()
  await page.locator('.settled').waitFor()
})

test('[PAGE-5] an answer whose reply is lost can be sent again and counts once', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aDeployment())
  const { page } = await env.visit(inbox)
  await waitUntilActive(page)
  let sent = 0
  await page.route(`**/api/asks/${id}/answer`, (route) => {
    sent += 1
    return sent === 1 ? route.abort() : route.continue()
  })
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.getByText('It is not certain that this arrived. Send it again: it counts once.').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Decline' }).isDisabled()).toBe(false)
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.locator('.settled').waitFor()
  expect(sent).toBe(2)
})

test('[PAGE-5] an answer that was recorded although its reply was lost is shown as recorded, not as too late', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aDeployment())
  const { page } = await env.visit(inbox)
  // The page receives no changes.
  await page.route('**/api/changes', (route) => route.fulfill({ contentType: 'text/event-stream', body: '' }))
  await page.reload()
  await waitUntilActive(page)
  await page.route(`**/api/asks/${id}/answer`, async (route) => {
    const { answer, decisionId } = route.request().postDataJSON()
    await inbox.store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer, decisionId })
    await route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Internal error.' } })
  })
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText(/You approved this/).waitFor()
  await page.waitForTimeout(500)
  expect(await page.getByText('came too late').count()).toBe(0)
})

test('[PAGE-5] an ask that ends after an invalid answer is not shown as answered too late', async () => {
  const inbox = await env.inbox()
  const fields = [{ kind: 'text', name: 'why', title: 'Why', required: true }] as const
  const { id } = await inbox.store.asks.raise(aForm('Why?', fields))
  const { page } = await env.visit(inbox)
  await waitUntilActive(page)
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByText('This is required.').waitFor()
  await inbox.store.asks.withdraw(tenant, id, 'caller-gone')
  await page.getByText('The agent that asked went away').waitFor()
  expect(await page.getByText('came too late').count()).toBe(0)
})

test('[PAGE-5] without a network the local inbox still loads asks and sends answers', async () => {
  const inbox = await env.inbox()
  const { page } = await env.visit(inbox)
  await waitUntilLive(page)
  await page.evaluate("dispatchEvent(new Event('offline'))")
  const fields = [{ kind: 'boolean', name: 'sure', title: 'Sure', required: true }] as const
  const { id } = await inbox.store.asks.raise(aForm('Delete build/?', fields))
  await waitUntilActive(page)
  await approveByKey(page)
  expect((await inbox.store.asks.read(tenant, id))?.state.kind).toBe('settled')
})

test('[PAGE-5] while the inbox reports that it cannot read anything, the page says so once and keeps what it has', async () => {
  const inbox = await env.inbox()
  await inbox.store.asks.raise(aDeployment())
  const { page } = await env.visit(inbox)
  await waitUntilActive(page)
  await waitUntilLive(page)
  const problem = { code: 'unavailable', message: 'The store cannot be reached.' }
  await page.route('**/api/asks?*', (route) => route.fulfill({ status: 503, json: problem }))
  await inbox.store.asks.raise(aDeployment())
  await page.getByText('The inbox cannot read or record anything at the moment.').waitFor()
  expect(await page.locator('.row').count()).toBe(1)
  expect(await page.locator('.card h2').textContent()).toBe('Deploy to production')
  await page.unroute('**/api/asks?*')
  await page.getByText('The inbox cannot read or record anything at the moment.').waitFor({ state: 'detached' })
  await page.locator('.row').nth(1).waitFor()
})

test('[PAGE-5] a connection that is silent for too long is replaced, although nothing reported that it is broken', async () => {
  const inbox = await env.inbox()
  const { context } = await env.visit(inbox)
  const page = await context.newPage()
  await page.clock.install()
  let streams = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/api/changes')) streams += 1
  })
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.goto(inbox.url)
  await waitUntilLive(page)
  expect(streams).toBe(1)
  await page.clock.fastForward(41_000)
  await expect.poll(() => streams, { timeout: 60_000 }).toBe(2)
  await waitUntilLive(page)
})
