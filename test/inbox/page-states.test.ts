// Accessibility of states that pages reach only by use: menus, selecting, undo, passkeys, offline.
import { expect, test } from 'vitest'
import { tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment, aGate, aLink } from '../../test-kit/gateway/sample-asks.ts'
import { aLongDiff, aYesNo } from './kinds.ts'
import { looks, violations } from './page-check.ts'
import { ann, testEnv, waitUntilActive, waitUntilLive } from './test-env.ts'

const env = testEnv({ hasOutages: true })

for (const [look, options] of Object.entries(looks)) {
  test(`[INBOX-19] axe finds nothing on a card with its menu, its comment, its whole text, or a yes that can be undone (${look})`, async () => {
    const inbox = await env.inbox()
    const { page } = await env.visit(inbox, ann, options)
    const open = async (draft: Parameters<typeof inbox.store.asks.raise>[0]) => {
      const { id } = await inbox.store.asks.raise(draft)
      await page.goto(`${inbox.url}/asks/${id}`)
      await waitUntilActive(page)
      return id
    }
    await open(aYesNo())
    await page.getByRole('button', { name: 'Add a comment' }).click()
    expect(await violations(page), 'comment').toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem').first().waitFor()
    expect(await violations(page), 'menu').toEqual([])

    await open(aLongDiff())
    await page.getByRole('button', { name: 'Show all 198 lines to answer Yes' }).click()
    await page.getByText('+new 96').waitFor()
    expect(await violations(page), 'whole diff').toEqual([])

    await open(aGate())
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    expect(await violations(page), 'undo').toEqual([])

    const gone = await open(aDeployment())
    await inbox.store.asks.withdraw(tenant, gone, 'caller-gone')
    await page.getByText('The agent that asked went away').waitFor()
    expect(await violations(page), 'withdrawn').toEqual([])

    await inbox.store.asks.raise(aDeployment())
    await open(aDeployment())
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('One other ask wants exactly the same action:').waitFor()
    expect(await violations(page), 'the same action').toEqual([])

    await open(aLink('https://accounts.calendar.example/connect'))
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('link', { name: 'Open calendar.example in a new tab' }).waitFor()
    expect(await violations(page), 'approved link').toEqual([])
  })

  test(`[INBOX-19] axe finds nothing while several asks are selected, without an agent, on passkeys, and offline (${look})`, async () => {
    const inbox = await env.inbox({ ownAgents: 0, presence: () => 'approvals' })
    const { page } = await env.visit(inbox, ann, options)
    await page.getByText('No agent is running.').waitFor()
    expect(await violations(page), 'no agent').toEqual([])
    await page.goto(`${inbox.url}/passkeys`)
    await page.getByRole('heading', { name: 'Passkeys' }).waitFor()
    expect(await violations(page), 'passkeys').toEqual([])

    await inbox.store.asks.raise(aGate())
    const { id } = await inbox.store.asks.raise(aYesNo())
    await page.goto(inbox.url)
    await page.locator('.row:visible').first().waitFor()
    await page.getByRole('button', { name: 'Select several' }).click()
    await page.getByRole('checkbox').first().check()
    expect(await violations(page), 'selecting').toEqual([])

    await page.goto(`${inbox.url}/asks/${id}`)
    await waitUntilActive(page)
    await waitUntilLive(page)
    await inbox.stop()
    await page.locator('.connection-banner').waitFor()
    expect(await violations(page), 'offline').toEqual([])
    await inbox.start()
    await page.locator('.connection-banner').waitFor({ state: 'detached' })
  })
}

test('[PAGE-5] the banner stays in view while a page scrolls', async () => {
  const inbox = await env.inbox()
  const { page } = await env.visit(inbox, ann, looks['phone and light'])
  const { id } = await inbox.store.asks.raise(aLongDiff())
  await page.goto(`${inbox.url}/asks/${id}`)
  await waitUntilActive(page)
  await page.getByRole('button', { name: 'Show all 198 lines to answer Yes' }).click()
  await waitUntilLive(page)
  await inbox.stop()
  await page.locator('.connection-banner').waitFor()
  await page.mouse.move(200, 400)
  await page.mouse.wheel(0, 2_000)
  await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(1_000)
  const box = await page.locator('.connection-banner').boundingBox()
  expect(Math.round(box?.y ?? -1)).toBe(0)
  await inbox.start()
  await page.locator('.connection-banner').waitFor({ state: 'detached' })
})
