// Several tabs of one browser: they share one change stream, and one of them plays the sound.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aDeployment } from '../../test-kit/gateway/sample-asks.ts'
import { testEnv, waitUntilLive } from './test-env.ts'

const env = testEnv()

test('[PAGE-1] tabs share one stream, each shows new asks, and when the leading tab closes another one takes over', async () => {
  const inbox = await env.inbox()
  const { page: first, context } = await env.visit(inbox)
  await waitUntilLive(first)
  let streams = 0
  context.on('request', (request) => {
    if (request.url().endsWith('/api/changes') && request.frame().page() !== first) streams += 1
  })
  const others: Page[] = []
  for (let count = 0; count < 7; count++) {
    const page = await context.newPage()
    await page.goto(inbox.url)
    await page.getByText('Nothing is waiting for you.').waitFor()
    await waitUntilLive(page)
    others.push(page)
  }
  expect(streams).toBe(0)

  await inbox.store.asks.raise(aDeployment())
  for (const page of [first, ...others]) await page.locator('.row', { hasText: 'Deploy to production' }).waitFor()

  await first.close()
  await expect.poll(() => streams, { timeout: 60_000 }).toBe(1)
  await inbox.store.asks.raise(aDeployment())
  for (const page of others) await page.getByRole('link', { name: 'Inbox 2' }).waitFor()
  expect(streams).toBe(1)
})

test('[PAGE-2] a new ask plays a sound in one tab if the sound is on, and the setting persists', async () => {
  const inbox = await env.inbox()
  const { page, context } = await env.visit(inbox)
  const notes = (one: Page) => one.evaluate(() => (globalThis as { notes?: number }).notes ?? 0)
  // As a string, because the DOM types are not available here.
  await context.addInitScript(`{
    const start = OscillatorNode.prototype.start
    OscillatorNode.prototype.start = function (when) {
      globalThis.notes = (globalThis.notes ?? 0) + 1
      start.call(this, when)
    }
  }`)
  await page.reload()
  await page.getByText('Nothing is waiting for you.').waitFor()
  await inbox.store.asks.raise(aDeployment())
  await page.getByRole('link', { name: 'Inbox 1' }).waitFor()
  expect(await notes(page)).toBe(0)

  await page.getByRole('button', { name: 'Ann Lee' }).click()
  await page.getByRole('switch', { name: 'Play a sound for new questions' }).click()
  expect(await notes(page)).toBe(2)
  await page.reload()
  const other = await context.newPage()
  await other.goto(inbox.url)
  for (const one of [page, other]) {
    await one.getByRole('link', { name: 'Inbox 1' }).waitFor()
    // An ask that is raised before is found by a reload, without a sound.
    await waitUntilLive(one)
  }
  await inbox.store.asks.raise(aDeployment())
  for (const one of [page, other]) await one.getByRole('link', { name: 'Inbox 2' }).waitFor()
  expect((await notes(page)) + (await notes(other))).toBe(2)
})
