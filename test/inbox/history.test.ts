// The filters of a long history, in a real browser.
import type { Question } from '@assent/core'
import { expect, test } from 'vitest'
import { tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment } from '../../test-kit/gateway/sample-asks.ts'
import { testEnv, waitUntilActive } from './test-env.ts'

const env = testEnv()

test('[INBOX-20] the oldest of 1,050 asks is found by its agent, and by its words when the search is continued', async () => {
  const inbox = await env.inbox()
  const end = async (title: string, client: string) => {
    const draft = aDeployment({ caller: { client } })
    const { id } = await inbox.store.asks.raise({ ...draft, question: { ...draft.question, title } as Question })
    await inbox.store.asks.withdraw(tenant, id, 'caller-gone')
  }
  await end('Deploy the museum', 'Codex')
  for (let index = 1; index < 1_050; index++) await end('Deploy the shop', 'Claude Code')
  const { page } = await env.visit(inbox)
  const shown = () => page.locator('.row-what').allTextContents()

  await page.goto(`${inbox.url}/history`)
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByRole('combobox', { name: 'Agent' }).click()
  await page.getByRole('option', { name: 'Codex' }).click()
  await expect.poll(shown).toEqual(['Deploy the museum'])

  await page.goto(`${inbox.url}/history?text=museum`)
  await page.getByText('Searched the asks that ended after').waitFor()
  expect(await shown()).toEqual([])
  await page.getByRole('button', { name: 'Search older asks' }).click()
  await expect.poll(shown).toEqual(['Deploy the museum'])
  expect(await page.getByText('Searched the asks').count()).toBe(0)
})

test('[INBOX-1] an ask that is still open can be answered at its address in the history', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aDeployment())
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/history/${id}`)
  await waitUntilActive(page)
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.getByText(/You declined this, /).waitFor()
  expect((await inbox.store.asks.read(tenant, id))?.state).toMatchObject({ answer: { action: 'decline' } })
})
