// An answer whose result arrives after the person has left its card, and where the focus goes when the buttons disappear.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment, aGate, eitherOfUs } from '../../test-kit/gateway/sample-asks.ts'
import { aYesNo } from './kinds.ts'
import { ann, ben, testEnv, waitUntilActive, waitUntilLive, writeComment } from './test-env.ts'

const env = testEnv({ hasOutages: true })

/** Two asks, and the page of the one whose yes can be undone. */
async function aHeldYes(undoMs: number) {
  const inbox = await env.inbox({ undoMs: () => undoMs })
  const other = await inbox.store.asks.raise(aYesNo())
  const { id } = await inbox.store.asks.raise(aGate())
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/${id}`)
  await waitUntilActive(page)
  await waitUntilLive(page)
  let sent = 0
  page.on('request', (request) => {
    if (request.url().endsWith(`/api/asks/${id}/answer`)) sent += 1
  })
  const stateOf = async () => (await inbox.store.asks.read(tenant, id))?.state
  return { inbox, page, id, otherId: other.id, stateOf, sent: () => sent }
}

async function goTo(page: Page, key: 'j' | 'k', id: string): Promise<void> {
  await page.keyboard.press(key)
  await page.locator(`[data-ask="${id}"]`).waitFor()
}

test('[PAGE-6] a held yes that is refused after its card was left is reported in the list and on its card', async () => {
  const { page, id, otherId, stateOf } = await aHeldYes(1_500)
  const secret = `use ghp_${'a1B2'.repeat(9)}`
  await writeComment(page, secret)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await goTo(page, 'j', otherId)

  const inList = page.locator('.list-result')
  await inList
    .getByText(/^Your answer to “Deploy to production”: The comment looks like the key of a service/)
    .waitFor()
  expect(await page.locator('.card .problem').count()).toBe(0)

  await goTo(page, 'k', id)
  await page.locator('.card .problem').getByText('The comment looks like the key of a service').waitFor()
  expect(await page.locator('textarea[data-comment]').inputValue()).toBe(secret)
  expect(await inList.textContent()).toBe('')
  // The text is only in this page.
  await page.waitForTimeout(600)
  expect(await page.evaluate(() => localStorage.getItem('assent-drafts'))).toBe('[]')
  expect((await stateOf())?.kind).toBe('open')

  await page.getByRole('button', { name: 'Send it anyway' }).click()
  await page.locator('.settled').waitFor()
  expect(await stateOf()).toMatchObject({ kind: 'settled', answer: { action: 'accept', comment: secret } })
  await goTo(page, 'j', otherId)
  expect(await inList.textContent()).toBe('')
})

test('[PAGE-6] a held yes is not sent while the inbox cannot be reached, and the page says so', async () => {
  const { inbox, page, id, otherId, stateOf, sent } = await aHeldYes(8_000)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await goTo(page, 'j', otherId)
  await inbox.stop()
  await page.locator('.connection-banner').waitFor()

  await page.locator('.list-result').getByText('Your answer to “Deploy to production”: It was not sent,').waitFor()
  await inbox.start()
  await page.locator('.connection-banner').waitFor({ state: 'detached' })
  await goTo(page, 'k', id)
  await page.locator('.card .problem').getByText('It was not sent, because the inbox could not be reached.').waitFor()
  expect(sent()).toBe(0)
  expect((await stateOf())?.kind).toBe('open')
})

test('[PAGE-6] an answer that was too late when its card was left is reported, and its card shows the outcome', async () => {
  const { inbox, page, id, otherId } = await aHeldYes(1_500)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await goTo(page, 'j', otherId)
  await inbox.store.asks.withdraw(tenant, id, 'caller-gone')

  await page.locator('.list-result').getByText('Your answer came too late and changed nothing.').waitFor()
  await page.evaluate(`history.pushState(null, '', '/asks/${id}'); dispatchEvent(new PopStateEvent('popstate'))`)
  await page.locator('.settled').getByText('The agent that asked went away').waitFor()
  await page.locator('.card .problem').getByText('Your answer came too late and changed nothing.').waitFor()
  expect(await page.locator('.list-result').textContent()).toBe('')
})

test('[PAGE-6] what was held and what was refused is gone when another person signs in, also in a tab that stays open', async () => {
  const inbox = await env.inbox({ undoMs: () => 1_500 })
  const other = await inbox.store.asks.raise(aDeployment({ approvalRule: eitherOfUs }))
  const { id } = await inbox.store.asks.raise(aGate({ approvalRule: eitherOfUs }))
  const { page, context } = await env.visit(inbox, ann)
  await page.goto(`${inbox.url}/asks/${id}`)
  await waitUntilActive(page)
  await writeComment(page, `use ghp_${'a1B2'.repeat(9)}`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await goTo(page, 'j', other.id)
  await page.locator('.missed-refusal').waitFor()

  const tab = await context.newPage()
  await tab.goto(inbox.url)
  await tab.getByRole('button', { name: 'Ann Lee' }).click()
  await tab.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  await tab.goto(await inbox.linkFor(ben))
  await tab.getByRole('button', { name: 'Ben Okafor' }).waitFor()
  // As when the person looks at the first tab again.
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
  await page.getByRole('button', { name: 'Ben Okafor' }).waitFor()
  await page.locator(`[data-ask="${other.id}"]`).waitFor()
  expect(await page.locator('.missed-refusal').count()).toBe(0)
  await goTo(page, 'k', id)
  expect(await page.locator('.card .problem, textarea[data-comment]').count()).toBe(0)
})

const focused = (page: Page) => page.evaluate<string>('document.activeElement.className')

test('[PAGE-9] after a yes the focus moves to Undo, which ignores the same key press, and after an answer to its outcome', async () => {
  const { inbox, page, stateOf } = await aHeldYes(60_000)
  const undo = page.getByRole('button', { name: 'Undo' })
  await page.getByRole('button', { name: 'Approve' }).focus()
  await page.keyboard.press('Enter')
  await undo.waitFor()
  await expect.poll(() => page.evaluate("document.activeElement.matches('.held button')")).toBe(true)
  // The page's clock stands still, as if the key were pressed twice at once.
  await page.evaluate(() => {
    const now = performance.now()
    performance.now = () => now
  })
  await page.keyboard.press('Enter')
  await page.waitForTimeout(300)
  expect(await undo.count()).toBe(1)
  await page.evaluate(() => Reflect.deleteProperty(performance, 'now'))
  await page.waitForTimeout(600)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Decline' }).waitFor()
  await expect.poll(() => focused(page)).toBe('card')
  expect((await stateOf())?.kind).toBe('open')

  await page.getByRole('button', { name: 'Decline' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('.settled').waitFor()
  await expect.poll(() => focused(page)).toBe('settled')

  // A card that another person ends takes no focus.
  const next = await inbox.store.asks.raise(aDeployment())
  await page.goto(`${inbox.url}/asks/${next.id}`)
  await waitUntilActive(page)
  await inbox.store.asks.withdraw(tenant, next.id, 'caller-gone')
  await page.locator('.settled').waitFor()
  expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')
})
