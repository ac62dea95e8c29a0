// Many open asks in a real browser: search, filters, declining several at once, and approving the same action.
import { type AskDraft, actionDigest } from '@assent/core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type InboxServer, tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment, aForm } from '../../test-kit/gateway/sample-asks.ts'
import { ann, testEnv, waitUntilActive } from './test-env.ts'

const env = testEnv()

function aQuestion(message: string, caller: AskDraft['caller'] = {}): AskDraft {
  return aForm(message, [{ name: 'yes', kind: 'boolean', required: true }], { caller })
}

const rows = (page: Page) => page.locator('.list .row-what').allTextContents()

async function openIn(inbox: InboxServer): Promise<readonly string[]> {
  const { asks } = await inbox.store.inbox.page({ tenant, person: ann, show: 'open', pageSize: 100 })
  return asks.map(({ id }) => id)
}

test('[CARD-16] the list can be searched and filtered, beyond the first page', async () => {
  const inbox = await env.inbox()
  await inbox.store.asks.raise(aQuestion('Rename the oldest table?', { client: 'Codex', folder: 'billing' }))
  for (let number = 0; number < 32; number++)
    await inbox.store.asks.raise(aQuestion(`Question ${number}?`, { client: 'Claude Code', folder: 'notes' }))
  const { page } = await env.visit(inbox)
  await page.getByText('Question 31?').first().waitFor()
  expect(await rows(page)).toHaveLength(30)

  await page.keyboard.press('/')
  await page.keyboard.type('OLDEST table')
  await page.locator('.list .row-what', { hasText: 'Rename the oldest table?' }).waitFor()
  expect(await rows(page)).toEqual(['Rename the oldest table?'])
  await page.getByRole('searchbox', { name: 'Search' }).fill('billing')
  expect(await rows(page)).toEqual(['Rename the oldest table?'])
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing like it')
  await page.getByText('No asks match.').waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()

  await page.getByRole('combobox', { name: 'Agent' }).click()
  await page.getByRole('option', { name: 'Codex' }).click()
  await expect.poll(() => rows(page)).toEqual(['Rename the oldest table?'])
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('combobox', { name: 'Project' }).click()
  await page.getByRole('option', { name: 'notes' }).click()
  await expect.poll(async () => (await rows(page)).length).toBe(32)
})

test('[CARD-17] selected asks are declined or dismissed, and a refusal is shown', async () => {
  const inbox = await env.inbox()
  const raised: string[] = []
  for (const message of ['One?', 'Two?', 'Three?', 'Four?', 'Five?'])
    raised.push((await inbox.store.asks.raise(aQuestion(message))).id)
  const { page } = await env.visit(inbox)
  const bar = page.getByRole('region', { name: 'Selected asks' })
  const select = (message: string) => page.getByRole('checkbox', { name: `Select: ${message}` }).check()

  await page.getByRole('button', { name: 'Select several' }).click()
  expect(await bar.getByRole('button', { name: 'Decline' }).isDisabled()).toBe(true)
  await select('One?')
  await select('Two?')
  await bar.getByRole('button', { name: 'Decline 2' }).click()
  await bar.waitFor({ state: 'detached' })
  for (const id of raised.slice(0, 2))
    expect((await inbox.store.asks.read(tenant, id))?.state).toMatchObject({ answer: { action: 'decline' } })
  expect([...(await openIn(inbox))].sort()).toEqual(raised.slice(2).sort())

  await page.getByRole('button', { name: 'Select several' }).click()
  await page.getByRole('button', { name: 'Select all 3' }).click()
  const [third = ''] = raised.slice(2)
  await page.route(`**/api/asks/${third}/answer`, async (route) => {
    await inbox.store.asks.withdraw(tenant, third, 'asker-stopped')
    await route.continue()
  })
  await bar.getByRole('button', { name: 'Dismiss 3' }).click()
  await bar.getByRole('alert').getByText('Three?').waitFor()
  await expect.poll(() => openIn(inbox)).toEqual([])
})

test('[CARD-18] after several asks were answered at once, the page says how many and keeps the focus in the list', async () => {
  const inbox = await env.inbox()
  for (const message of ['One?', 'Two?', 'Three?']) await inbox.store.asks.raise(aQuestion(message))
  const { page } = await env.visit(inbox)
  await waitUntilActive(page)
  const focused = () => page.evaluate('document.activeElement.textContent')
  // With the keyboard alone.
  await page.keyboard.press('s')
  await page.getByRole('checkbox', { name: 'Select: Three?' }).focus()
  await page.keyboard.press('Space')
  await page.getByRole('checkbox', { name: 'Select: Two?' }).focus()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Decline 2' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('2 declined.').waitFor()
  await expect.poll(focused).toBe('Select several')

  // Also after the last one, on a phone, where the list is all there is.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(inbox.url)
  await page.locator('.row').waitFor()
  await inbox.store.asks.raise(aQuestion('Four?'))
  await page.getByRole('button', { name: 'Select several' }).click()
  await page.getByRole('button', { name: 'Select all 2' }).click()
  await page.getByRole('button', { name: 'Dismiss 2' }).click()
  await page.getByRole('status').getByText('2 dismissed.').waitFor()
  await page.getByText('Nothing is waiting for you.').waitFor()
  await expect.poll(focused).toBe('Select several')
  expect(await openIn(inbox)).toEqual([])
})

test('[CARD-18] the help lists every shortcut of the list', async () => {
  const inbox = await env.inbox()
  for (const message of ['One?', 'Two?']) await inbox.store.asks.raise(aQuestion(message))
  const { page } = await env.visit(inbox)
  await waitUntilActive(page)
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  const list = help.locator('section', { has: page.getByRole('heading', { name: 'List' }) })
  expect(await list.locator('kbd').allTextContents()).toEqual(['j', 'k', 'Enter', '/', 's'])
})

test('[CARD-17] after a yes on the card, the same action can be approved for other asks, and no other action', async () => {
  const inbox = await env.inbox()
  const first = await inbox.store.asks.raise(aDeployment())
  const same = await inbox.store.asks.raise(aDeployment({ caller: { client: 'Codex' } }))
  const { question } = aDeployment()
  if (question.kind !== 'approval') throw new Error('A deployment is an approval.')
  const action = { ...question.action, arguments: { env: 'staging' } }
  const changed = { ...question, action, digest: actionDigest(action) }
  const other = await inbox.store.asks.raise(aDeployment({ question: changed }))
  const declined = await inbox.store.asks.raise(aDeployment())
  const { page } = await env.visit(inbox)

  await page.goto(`${inbox.url}/asks/${declined.id}`)
  await waitUntilActive(page)
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.locator('.card[data-state="settled"]').waitFor()
  expect(await page.getByText('exactly the same action').count()).toBe(0)

  await page.goto(`${inbox.url}/asks/${first.id}`)
  await waitUntilActive(page)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('One other ask wants exactly the same action').waitFor()
  await page.getByRole('button', { name: 'Approve it too' }).click()
  await page.getByText('exactly the same action').waitFor({ state: 'detached' })

  expect((await inbox.store.asks.read(tenant, same.id))?.state).toMatchObject({ answer: { action: 'accept' } })
  expect(await openIn(inbox)).toEqual([other.id])
})
