// Several tabs of one browser: one stream of changes between them, and one sound.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aDeployment } from '../../scripts/inbox/samples.ts'
import { aPlace } from './visit.ts'

const place = aPlace()

test('[PAGE-1] tabs share one stream, each hears of new asks, and when its holder goes another takes it over', async () => {
  const desk = await place.desk()
  const { page: first, context } = await place.visit(desk)
  let streams = 0
  context.on('request', (request) => {
    if (request.url().endsWith('/api/changes') && request.frame().page() !== first) streams += 1
  })
  const others: Page[] = []
  for (let count = 0; count < 7; count++) {
    const page = await context.newPage()
    await page.goto(desk.url)
    await page.getByText('Nothing is waiting for you.').waitFor()
    await page.getByText('reconnecting…').waitFor({ state: 'detached' })
    others.push(page)
  }
  expect(streams).toBe(0)

  await desk.store.asks.raise(aDeployment())
  for (const page of [first, ...others]) await page.locator('.row', { hasText: 'Deploy to production' }).waitFor()

  await first.close()
  await expect.poll(() => streams, { timeout: 20_000 }).toBe(1)
  await desk.store.asks.raise(aDeployment())
  for (const page of others) await page.getByText('Inbox 2').waitFor()
  expect(streams).toBe(1)
})

test('[PAGE-2] a new ask makes a sound where it was switched on, in one tab, and it stays switched on', async () => {
  const desk = await place.desk()
  const { page, context } = await place.visit(desk)
  const notes = (one: Page) => one.evaluate(() => (globalThis as { notes?: number }).notes ?? 0)
  // As text, because what types a page has is not known here.
  await context.addInitScript(`{
    const start = OscillatorNode.prototype.start
    OscillatorNode.prototype.start = function (when) {
      globalThis.notes = (globalThis.notes ?? 0) + 1
      start.call(this, when)
    }
  }`)
  await page.reload()
  await page.getByText('Nothing is waiting for you.').waitFor()
  await desk.store.asks.raise(aDeployment())
  await page.getByText('Inbox 1').waitFor()
  expect(await notes(page)).toBe(0)

  await page.getByRole('button', { name: 'Ann Lee' }).click()
  await page.getByRole('switch', { name: 'A quiet sound for a new ask' }).click()
  expect(await notes(page)).toBe(2)
  await page.reload()
  const other = await context.newPage()
  await other.goto(desk.url)
  for (const one of [page, other]) await one.getByText('Inbox 1').waitFor()
  await desk.store.asks.raise(aDeployment())
  for (const one of [page, other]) await one.getByText('Inbox 2').waitFor()
  expect((await notes(page)) + (await notes(other))).toBe(2)
})
